#!/usr/bin/env bash
# Installs what the tests need into the current environment, finds Chromium (its headless shell first, which takes half
# the processor time) or installs it, and runs the quick set of tests, a process a core. `--full` runs all but the
# other cases of grids (those need `--every`, too) and reports line coverage.
# Arguments go to pytest: `bash tests/run.sh tests/lm -k trie`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=$(command -v python || command -v python3)
"$python" -m pip install --quiet --disable-pip-version-check --requirement tests/requirements.txt

find_chromium() {
  local name
  for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" && return
  done
  "$python" - <<'PY'
import pathlib, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    path = pathlib.Path(playwright.chromium.executable_path)
print(path) if path.is_file() else sys.exit(1)
PY
}

install_chromium() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
  else
    "$python" -m playwright install chromium
  fi
}

if ! CHROMIUM=$(find_chromium); then
  echo "No Chromium found: installing it." >&2
  install_chromium >&2
  CHROMIUM=$(find_chromium) || { echo "Chromium could not be installed; the browser tests need it." >&2; exit 1; }
fi
export CHROMIUM BROWSER_PATH="${BROWSER_PATH:-$CHROMIUM}" # the second is where figures are drawn as files
echo "Chromium: $CHROMIUM"

options=(--numprocesses auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder)
for argument in "$@"; do
  [ "$argument" != --full ] || options+=(--cov specviz --cov-report term:skip-covered --cov-fail-under 95)
done
exec "$python" -m pytest "${options[@]}" "$@"
