"""Every method's real traces can be told, at every iteration, in a payload small enough to send."""

import json

import pytest

import specviz
from specviz.views.scenes import iteration_payload

SETTINGS = [
    ("autoregressive", {}),
    ("speculative", {}),
    ("speculative", {"draft": "prompt", "gamma": 6}),
    ("speculative", {"temperature": 0.0}),
    ("speculative", {"lenience": 0.3, "top_k": None, "top_p": None}),
    ("mtad", {}),
    ("mtad", {"tau": 0.0}),
    ("mtad", {"tau": 1.0, "temperature": 0.0}),
]


@pytest.fixture(scope="module")
def pair():
    target, other = (specviz.TableLM.random(120, seed, sharpness=4, order=2) for seed in (1, 2))

    def mixture(context):
        return 0.7 * target.probabilities(context) + 0.3 * other.probabilities(context)

    return specviz.ModelPair(target, specviz.TableLM(mixture, 120))


@pytest.mark.parametrize(("method", "options"), SETTINGS, ids=str)
def test_every_iteration_can_be_told(pair, method, options):
    trace = specviz.decode(pair, method, [1, 2, 3, 1, 2], max_new_tokens=6, seed=3, **options)
    for index in range(len(trace.iterations)):
        payload = iteration_payload(trace, index)
        assert len(json.dumps(payload, ensure_ascii=False).encode()) < 150_000
        assert {key for scene in payload["scenes"] for key in scene["panels"].values()} == set(payload["figures"])
        assert all(payload["texts"].values())
