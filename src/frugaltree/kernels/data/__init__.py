"""The cases, the nodes of a tree and class counts, as all kernels see them."""
