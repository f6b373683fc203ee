"""The search of ICET."""
