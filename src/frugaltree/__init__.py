"""Decision trees that weigh the price of asking against the price of being wrong."""

__version__ = "0.1.0.dev0"
