"""Start the page: ``python app.py`` is ``python -m specviz app``."""

import sys

from specviz.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["app", *sys.argv[1:]]))
