"""The learned tree, and the same as text."""
