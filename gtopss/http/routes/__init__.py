"""The routes, one module for each group. Blocking routes are plain functions, which FastAPI runs in threads."""
