"""The search of LSID3 and ACT."""
