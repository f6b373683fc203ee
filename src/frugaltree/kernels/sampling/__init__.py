"""Trees sampled below each test of a node: LSID3 and ACT."""
