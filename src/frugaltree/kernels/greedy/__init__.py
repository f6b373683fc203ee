"""Trees grown test by test, none taken back: ID3, C4.5 and its relatives, EG2, DTMC."""
