"""The rules of cost: prices in context, what a path has paid, what a leaf is expected to cost."""
