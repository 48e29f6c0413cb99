"""Cost tables: what an access, a hop or a cell costs."""
