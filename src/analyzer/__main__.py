"""`python -m analyzer` is `analyze`."""

import sys

from .command.start import main

sys.exit(main())
