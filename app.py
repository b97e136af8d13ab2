"""Start the page: ``python app.py`` is ``specviz app``."""

import sys

sys.argv = ["specviz", "app", *sys.argv[1:]]  # before the package is imported, which looks whose process it is in

from specviz.__main__ import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
