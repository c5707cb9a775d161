"""`python -m cfglint`."""

from cfglint.cli import main

main()
