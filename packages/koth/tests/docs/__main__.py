"""Write what is played into the pages: `python -m tests.docs [GAME]...`."""

import sys

from tests.docs.test_pages import PAGES

for name in sys.argv[1:] or PAGES:
    PAGES[name].rewrite()
