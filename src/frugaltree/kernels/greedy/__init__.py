"""Trees grown by one look at each node: C4.5 and its relatives, EG2, DTMC."""
