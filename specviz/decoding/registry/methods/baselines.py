"""Baselines that draft nothing: the target alone."""

from specviz.decoding.registry.method import Method

AUTOREGRESSIVE = Method(
    name="autoregressive",
    drafter="none",
    verifier="token",
    title="Autoregressive",
    family="target",
    paper="plain sampling, the baseline of every paper",
    summary="The target writes one token per call. Nothing is drafted.",
    shows=(),
    texts={
        "rule": "Draw each token from the target's own distribution p.",
        "draft": "Nothing is drafted.",
        "verify": "The target reads the newest token and gives the distribution of the next one.",
        "accept": "",
        "reject": "",
        "finish": "One token per target call: the slow way that the others race against.",
    },
)
