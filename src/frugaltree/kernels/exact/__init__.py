"""The search for a provably cheapest tree."""
