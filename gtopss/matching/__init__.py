"""Matchers to compare with: plain, slow or foreign, and independent of `gm`."""
