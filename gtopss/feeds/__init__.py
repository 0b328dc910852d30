"""Bytes to publications."""
