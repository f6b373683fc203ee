"""What drives a search from Python, between an estimator and its kernels."""
