"""``python -m frugaltree``: the command line."""

from frugaltree.app.cli import main

main()
