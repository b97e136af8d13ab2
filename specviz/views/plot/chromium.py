"""The Chromium that draws figures: it has no network, keeps pages apart, and leaves no files behind."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from choreographer.browsers.chromium import Chromium

# What a page that draws can do without: choreographer allows pages to read each other and files
_LEFT_OUT = ("--disable-web-security", "--allow-file-access-from-files", "--disable-popup-blocking")
_QUIET = (
    "--host-resolver-rules=MAP * ~NOTFOUND",  # addresses, too: nothing is fetched, whatever a figure names
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
)
# Ends with the browser, which ends when its pipe to the server is closed, however that came; then removes the folder
_WATCH = 'exec 3<&0; "$@" <&3 3<&- & p=$!; trap "kill -TERM $p" TERM INT HUP; wait $p; wait $p; rm -rf -- "$0"'


class Offline(Chromium):
    """Chromium for kaleido, with its profile in a folder that is gone once it ends."""

    def __init__(self, channel: Any, path: Any = None, **options: Any):
        super().__init__(channel, path, **options)
        self._folder = Path(tempfile.mkdtemp(prefix="specviz-figures-"))
        self._tmp_dir_path = self._folder / "profile"
        self._tmp_dir_path.mkdir()

    def get_cli(self) -> Sequence[str]:
        """The command, wrapped in a shell, where there is one, that cleans up afterwards."""
        command = [word for word in super().get_cli() if word not in _LEFT_OUT]
        shell = shutil.which("sh")
        return [*([shell, "-c", _WATCH, str(self._folder)] if shell else []), *command, *_QUIET]

    def clean(self) -> None:
        """Remove what is left."""
        super().clean()
        if hasattr(self, "_folder"):
            shutil.rmtree(self._folder, ignore_errors=True)
