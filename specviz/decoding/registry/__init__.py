"""The registry: every drafter, verifier and method, each registered once; the built-in ones in the order shown."""

from specviz.decoding.registry import drafters, verifiers  # isort: skip
from specviz.decoding.registry import catalog  # isort: skip
from specviz.decoding.registry import registry

registry.BUILT_IN += registry.entries()

__all__ = ["catalog", "drafters", "verifiers"]
