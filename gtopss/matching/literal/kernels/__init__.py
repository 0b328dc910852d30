"""Compiled loops of the matcher `gm-literal`."""
