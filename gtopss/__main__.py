"""`python -m gtopss`, for where the console script is not on the path."""

from gtopss.cli import main

main()
