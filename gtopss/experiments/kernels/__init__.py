"""Compiled loops of the experiments."""
