"""Gate level: cells, activity, power, and a cost table calibrated on them."""
