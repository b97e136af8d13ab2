"""Sweep into a folder in processes that are killed with SIGKILL at random moments: ``python killed.py PAIR FOLDER``.

The models are loaded once; each process is a fork. Prints how many of them were killed. A moment is the next bytes in
the file, and then some more of a run's time, so that it does not depend on how fast the machine is.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import specviz

GRID = {"method": [{"name": "speculative"}, {"name": "mtad", "gamma": 2}], "max_new_tokens": 5}
PROMPTS, SEEDS, TIMES, ROW = ["Once", "upon a time"], 12, 8, 1700


def size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def kill_one(pair: specviz.ModelPair, out: Path, moment: random.Random) -> bool:
    """Whether a process was killed before it had ended by itself."""
    file = out / "rows.jsonl"
    enough, later = size(file) + moment.randrange(4 * ROW), moment.random() * 0.03
    child = os.fork()
    if not child:
        for _ in specviz.sweep(pair, GRID, PROMPTS, SEEDS, out=out):
            pass
        os._exit(0)
    while size(file) < enough and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.0005)
    time.sleep(later)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    models, out = map(Path, sys.argv[1:])
    pair = specviz.load_pair(models / "target", models / "draft", device="cpu", threads=1)
    moment = random.Random(0)
    print(sum(kill_one(pair, out, moment) for _ in range(TIMES)))
