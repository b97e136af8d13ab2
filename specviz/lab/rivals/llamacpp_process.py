"""llama.cpp in a process of its own: in one that torch computes in, too, the two runtimes of threads would make each
other wait. Run as a file, so that nothing of this package is loaded.

The first line that comes in is ``{"file", "threads", "context"}``, every other one a request of llama.cpp's server;
every line that goes out is its answer.
"""

import json
import sys
from typing import Any

import xllamacpp


def main() -> None:
    library: Any = xllamacpp  # compiled, and without types
    request = json.loads(sys.stdin.readline())
    params = library.CommonParams()
    params.model.path = request["file"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = request["threads"]
    params.n_ctx, params.n_parallel, params.verbosity = request["context"], 1, -1
    server = library.Server(params)
    for line in sys.stdin:
        print(json.dumps(server.handle_completions(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
