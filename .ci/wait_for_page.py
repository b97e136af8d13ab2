"""``wait_for_page.py PORT PROCESS``: wait until the page answers; fails where the process ends first."""

import os
import sys
import time
import urllib.error
import urllib.request

port, process = sys.argv[1], int(sys.argv[2])
for _ in range(180):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        sys.exit("the app ended before it answered")
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            print(f"the app answers: {answer.status}, {len(answer.read())} bytes")
            sys.exit(answer.status != 200)
    except (urllib.error.URLError, OSError):
        time.sleep(1)
sys.exit("the app did not answer within three minutes")
