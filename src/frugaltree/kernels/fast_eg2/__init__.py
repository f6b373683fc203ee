"""EG2 on complete cases, many trees as fast as can be: ICET's trials."""
