"""The typed requests and responses, one module for each group of routes."""
