"""`python -m analyzer` is `analyze`."""

import sys

from .command.start import main

if __name__ == "__main__":
    sys.exit(main())
