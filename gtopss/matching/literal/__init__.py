"""The printed structure of GM in flat arrays, with compiled loops."""
