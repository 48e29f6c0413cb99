"""Which layers of a network to compute together, so that what lies between them never leaves the chip."""
