"""Baselines that draft nothing: the target alone."""

from specviz.decoding.method import Method
from specviz.decoding.options import Options
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.drafting.chain import NoDraft
from specviz.verifying.token import TokenVerifier


def _judge(setting: Setting, options: Options) -> TokenVerifier:
    return TokenVerifier(end_tokens=setting.end_tokens)


def _autoregressive(bench: Workbench, options: Options) -> Decoder:
    return Decoder(NoDraft(), _judge(bench.setting, options), None)


AUTOREGRESSIVE = Method(
    name="autoregressive",
    title="Autoregressive",
    family="target",
    paper="plain sampling, the baseline of every paper",
    summary="The target writes one token per call. Nothing is drafted.",
    own_options=(),
    texts={
        "rule": "Draw each token from the target's own law p.",
        "draft": "Nothing is drafted.",
        "verify": "The target reads the newest token and gives the law of the next one.",
        "accept": "",
        "reject": "",
        "finish": "One token per target call: the slow way that the others race against.",
    },
    build=_autoregressive,
    judge=_judge,
    drafts="nothing",
)
