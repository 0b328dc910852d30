"""`gtopss bench`: the engine measured beside its peers."""
