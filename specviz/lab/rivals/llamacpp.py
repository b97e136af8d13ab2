"""llama.cpp as a rival: the target's own GGUF file, decoded by xllamacpp, where that is installed."""

import json
import os
import sys
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from specviz.errors import SpecvizError
from specviz.lab.sweep.written import RivalText
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_of

GENERATE = "llama.cpp"
LONGEST = 4096  # tokens of a prompt and what follows


def can_rival(pair: ModelPair) -> bool:
    """Whether the target was read from a GGUF file to a processor, and xllamacpp is there."""
    return find_spec("xllamacpp") is not None and _file(pair) is not None


def _file(pair: ModelPair) -> Path | None:
    target = pair.target
    if not isinstance(target, TransformerLM) or target.device.type != "cpu":
        return None
    path = Path(target.model.name_or_path or "")
    return path if path.suffix == ".gguf" and path.is_file() else None


def rival(
    pair: ModelPair, *, temperature: float, top_k: int | None, top_p: float | None
) -> Callable[[Sequence[int], int, int], RivalText]:
    """What continues a prompt by so many tokens, with a seed, with as many threads as ``pair`` has and its weights
    as they are in the file; end tokens do not end it. The file is loaded at the first call. Only the text is told,
    from which its tokens are read again: ``RivalText.count`` is how many there were."""
    settings = {
        "ignore_eos": True,
        "cache_prompt": False,
        "samplers": ["temperature", "top_k", "top_p"],  # ours, in our order
        "temperature": temperature,
        "top_k": top_k or 0,
        "top_p": top_p or 1.0,
        "stream": False,
    }
    process = cache(lambda: _process(pair))

    def run(prompt: Sequence[int], tokens: int, seed: int) -> RivalText:
        answer = _answer(process(), {**settings, "n_predict": tokens, "prompt": list(prompt), "seed": seed})
        text, timings = answer["choices"][0]["text"], answer["timings"]
        again = tuple(pair.tokenizer.encode(text, add_special_tokens=False)) if pair.tokenizer else ()
        return RivalText(again, reading=timings["prompt_ms"] / 1e3, count=timings["predicted_n"])

    return run


def _process(pair: ModelPair) -> Popen[str]:
    """llama.cpp with the file of ``pair``; it ends with this process, at the latest."""
    calm = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}  # its threads wait its way
    command = [sys.executable, str(Path(__file__).with_name("llamacpp_process.py"))]
    process = Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=calm)
    context = min(pair.target.context or LONGEST, LONGEST)
    _tell(process, {"file": str(_file(pair)), "threads": threads_of(pair), "context": context})
    weakref.finalize(pair.target, process.kill)
    return process


def _tell(process: Popen[str], request: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()


def _answer(process: Popen[str], request: dict[str, Any]) -> dict[str, Any]:
    """Raises SpecvizError where there is none."""
    _tell(process, request)
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SpecvizError(f"llama.cpp ended with {process.wait()}: what it said is above")
    return json.loads(line)
