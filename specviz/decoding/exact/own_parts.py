"""Whether a pairing keeps what it claims: the built-in ones are proven by the tests; one with a drafter or verifier of
one's own is checked, in the background, when somebody first asks."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

from specviz.decoding.exact.guarantee_check import check_guarantee
from specviz.decoding.registry import drafters, verifiers
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.parts import find_drafter, find_verifier
from specviz.decoding.registry.specs import DrafterSpec
from specviz.errors import SpecvizError
from specviz.rules.spec import VerifierSpec

log = logging.getLogger(__name__)
BUILT_IN_DRAFTERS = {spec.name for spec in drafters.BUILT_IN}
BUILT_IN_VERIFIERS = {spec.name for spec in verifiers.BUILT_IN}
_checker = ThreadPoolExecutor(1, thread_name_prefix="guarantee")


def claim_holds(drafter: str, verifier: str) -> bool | None:
    """Whether the pairing of these names holds to its guarantee at ``check_guarantee``'s defaults; None while that is
    not known: it is being checked, or nothing is registered by such a name."""
    if drafter in BUILT_IN_DRAFTERS and verifier in BUILT_IN_VERIFIERS:
        return True
    try:
        checked = check_of(find_drafter(drafter), find_verifier(verifier))
    except SpecvizError:
        return None
    return checked.result() if checked.done() else None


@cache
def check_of(drafter: DrafterSpec, verifier: VerifierSpec) -> "Future[bool]":
    """The check of this pairing, begun when it is first asked for. What cannot be checked does not hold."""
    return _checker.submit(_check, drafter, verifier)


def _check(drafter: DrafterSpec, verifier: VerifierSpec) -> bool:
    name = f"{drafter.name} with {verifier.name}"
    try:
        report = check_guarantee(Method(name, drafter, verifier))
    except Exception as error:  # code of somebody's own
        log.warning("%s cannot be held to its guarantee: %s: %s", name, type(error).__name__, error)
        return False
    if not report.holds:
        log.warning("%s does not hold to its guarantee:\n%s", name, "\n".join(map(str, report.failures)))
    return report.holds
