"""`python -m models` is `boathull`."""

import sys

from .cli import main

sys.exit(main())
