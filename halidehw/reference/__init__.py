"""The algorithm's own evaluation: the oracle, independent of all that follows."""
