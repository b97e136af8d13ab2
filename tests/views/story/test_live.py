"""Every method's real traces can be told, at every iteration, in a payload small enough to send."""

import json

import pytest

import specviz
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.deciding import FunctionDecider
from specviz.lm.parts.heads import TableHeads
from specviz.views.story.scenes import iteration_payload

SETTINGS = [
    *((method, {}) for method in specviz.methods()),
    ("speculative", {"draft": "prompt", "gamma": 6}),
    ("speculative", {"temperature": 0.0}),
    ("speculative", {"lenience": 0.3, "top_k": None, "top_p": None}),
    ("mtad", {"tau": 0.0}),
    ("mtad", {"tau": 1.0, "temperature": 0.0}),
    ("specinfer", {"drafts": 2}),
    ("spectr", {"temperature": 0.0}),
    ("block", {"temperature": 0.0}),
    ("improved-mcsd", {"decision": "entropy", "width": 4}),
    ("bild", {"fallback": 0.1}),
    ("typical", {"temperature": 1.4}),
    ("medusa", {"acceptance": "typical"}),
    ("slim", {"keep": 3}),
    ("dsbd", {"threshold": 0.2, "draft_beams": 6}),
    ("dsbd", {"threshold": None, "min_beams": 3, "single_cache": True}),
    ("beam", {"deterministic": True}),
]
LIMITS = {"improved-mcsd": 1_000_000}  # up to 96 nodes, each judged
MOST = 600_000  # bytes of other payloads; a chain's stay below 150,000


@pytest.fixture(scope="module")
def pair():
    target, other, small = (specviz.TableLM.random(120, seed, sharpness=4, order=2) for seed in (1, 2, 3))

    def mixture(context):
        return 0.7 * target.probabilities(context) + 0.3 * other.probabilities(context)

    return specviz.ModelPair(
        target,
        specviz.TableLM(mixture, 120),
        drafts=(small,),
        heads=TableHeads.random(120, 3, seed=4),
        correlation=DenseCorrelation.random(120, seed=5),
        deciders={"entropy": FunctionDecider(0.3)},
        end_tokens=frozenset({7}),
    )


@pytest.mark.every(3)
@pytest.mark.parametrize(("method", "options"), SETTINGS, ids=str)
def test_every_iteration_can_be_told(pair, method, options):
    trace = specviz.decode(pair, method, [1, 2, 3, 1, 2], max_new_tokens=6, seed=3, **options)
    for index in range(len(trace.iterations)):
        payload = iteration_payload(trace, index)
        size = len(json.dumps(payload, ensure_ascii=False).encode())
        assert size < (150_000 if method in ("speculative", "mtad", "block") else LIMITS.get(method, MOST))
        assert {key for scene in payload["scenes"] for key in scene["panels"].values()} == {
            *payload["pictures"],
            *payload["stages"],
        }
        assert set(payload["texts"]) == {*payload["pictures"], *payload["stages"]} and all(payload["phrases"])
        assert all(scene["title"] and scene["sentence"] for scene in payload["scenes"])
        assert len({scene["key"] for scene in payload["scenes"]}) == len(payload["scenes"])
