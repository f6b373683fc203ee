"""Compiled inner loops: arrays in, arrays out, no Python objects."""
