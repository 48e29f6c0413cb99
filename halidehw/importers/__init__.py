"""Trained networks from files: layers, each an algorithm in the language."""
