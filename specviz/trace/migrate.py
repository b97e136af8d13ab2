"""Older trace files become one version younger, step by step, as parsed JSON, before any check.

Versions 1 to 3 wrote every distribution where it was used, the target's raw ones in a table beside; version 4 has one
object for each. What a file of versions 1 and 2 lacks cannot be made up: its forests have no target distributions, and
whoever replays a step says that they are missing.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from specviz.errors import ReplayError, TraceError
from specviz.trace.distribution import Distribution, JointDistribution, Tempered, conditional, warped_anew, without
from specviz.trace.forest import Node, columns_of, first_prefixes
from specviz.trace.record import VERSION
from specviz.trace.table import TableWriter, settings_of

DRAWINGS = {
    None: None,
    "independent": "independent",
    "search": "search",
    "distinct": "without_replacement",
    "certain": "deterministic",
}
SMALLEST, ENTRIES = 1e-4, 256  # what version 3 kept of large distributions
_NODE: set[str] = set("token parent depth draft_prob draft_logprob submitted outcome draft score estimate root".split())
_DISTRIBUTION = {"tokens", "probs", "logprobs", "rest"}
_PROPOSAL = {"parents", "parent_weights", "conditionals", "draws", "replacement", "joint", "order"}
_ROW: set[str] = set("after tokens logits log_totals likeliest entropies soft_totals drafts logprobs".split())


def migrated(parsed: dict[str, Any], most: int) -> dict[str, Any]:
    """The parsed file in the current version. Raises TraceError for a version that cannot be read, or a file that is
    no trace of its version; ``most`` numbers may be repeated by reference."""
    version = parsed.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise TraceError(f"version: a trace carries a whole number from 1 to {VERSION}, this file {version!r:.40}")
    if version > VERSION:
        raise TraceError(f"version: this trace is version {version}, this specviz reads up to {VERSION}: please update")
    for older in range(version, VERSION):
        if older not in MIGRATIONS:
            raise TraceError(f"version: this trace is version {older}, which can no longer be read")
        try:
            with np.errstate(all="ignore"):  # a file may hold any numbers
                parsed = MIGRATIONS[older](parsed, most)
        except TraceError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            said = f"{type(error).__name__}: {str(error)[:120]}"
            raise TraceError(f"this is not a trace: this file of version {version} cannot be read ({said})") from None
        parsed["version"] = older + 1
    return parsed


def _from_1(parsed: dict[str, Any], most: int) -> dict[str, Any]:
    """Version 2 says where a drawn token stands: ``after`` is the node kept at the depth before. Whatever else is new
    has a default."""
    for iteration in parsed["iterations"]:
        decisions = iteration["decisions"]
        for draw in (one for one in decisions if one["rule"] == "draw"):
            kept = (one for one in decisions if one.get("accepted") or one.get("kept"))
            draw["after"] = next((one["node"] for one in kept if one["depth"] == draw["depth"] - 1), -1)
    return parsed


def _from_2(parsed: dict[str, Any], most: int) -> dict[str, Any]:
    """Version 3 names all end tokens."""
    header = parsed["header"]
    header["end_tokens"] = [] if header["end_token"] is None else [header["end_token"]]
    if any(isinstance(holder[key], int) for iteration in parsed["iterations"] for holder, key in _slots(iteration)):
        raise TypeError("a number is no distribution")
    return parsed


def _from_3(parsed: dict[str, Any], most: int) -> dict[str, Any]:
    """Version 4: one object a distribution, the field's words."""
    header = parsed["header"]
    table = TableWriter(settings_of(header["options"]))
    header["method"]["guarantee"] = header["method"].pop("law")
    _spell_out(parsed, most)
    for iteration in parsed["iterations"]:
        if iteration.get("forest") is not None:
            _Iteration(header, iteration, table).migrate()
    before: dict[str, Any] = {}
    for iteration in parsed["iterations"]:  # version 4 takes missing ones for those before
        if before.get("beams"):
            iteration.setdefault("inputs", [])
        before = iteration
    parsed["distributions"] = table.entries
    return parsed


MIGRATIONS: dict[int, Callable[[dict[str, Any], int], dict[str, Any]]] = {1: _from_1, 2: _from_2, 3: _from_3}
"""Version -> how a parsed file of it becomes one version younger."""


# Version 3 wrote a distribution that stood in the iteration before as its number there.


def _slots(iteration: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Where the distributions of an iteration stand, in order: what holds each, and under which key."""
    forest = iteration.get("forest") or {}
    for proposal in forest.get("proposals", ()):
        yield from ((proposal["conditionals"], j) for j in range(len(proposal["conditionals"])))
        if proposal.get("joint") is not None:
            yield proposal, "joint"
    for decision in iteration["decisions"]:
        yield from ((decision, name) for name in ("target", "draft", "source") if decision.get(name) is not None)


def _spell_out(parsed: dict[str, Any], most: int) -> None:
    repeated = 0
    for index, iteration in enumerate(parsed["iterations"]):
        known: list[Any] = []
        for holder, key in _slots(iteration):
            number = holder[key]
            if isinstance(number, bool) or not isinstance(number, int):
                known.append(number)
                continue
            if not 0 <= number < len(known):
                said = f"{key} is {str(number)[:20]}, {len(known)} distributions stand before it"
                raise TraceError(f"iterations[{index}]: {said}")
            holder[key] = known[number]
            repeated += 1 + len(known[number]["tokens"])
            if repeated > most:
                raise TraceError(f"iterations[{index}]: more than {most:,} tokens of distributions are repeated")


class _Place(NamedTuple):
    """A node as far as texts are told apart."""

    token: int
    parent: int
    submitted: bool = True


class _Iteration:
    """One iteration of version 3 on its way to version 4."""

    def __init__(self, header: dict[str, Any], iteration: dict[str, Any], table: TableWriter):
        options = header["options"]
        models = [header.get("draft") or header.get("heads"), *header.get("drafts", ())]
        self._iteration, self._forest, self._table = iteration, iteration["forest"], table
        self._inputs, self._decisions = iteration.get("inputs", []), iteration["decisions"]
        self._target_type = _dtype(header["target"])
        self._draft_types = [_dtype(model) for model in models]
        size, top_k = header["target"]["vocab_size"], options.get("top_k")
        self._size, self._entries = size, min(top_k or size, size, ENTRIES)
        self._temperature = float(options.get("temperature") or 0.0)
        greedy = header["method"].get("greedy") or options.get("verifier") == "greedy"
        self._warp = (0.0 if greedy else self._temperature, top_k, options.get("top_p"))
        self._nodes = [_known(node, _NODE) for node in self._forest["nodes"]]
        for number, node in enumerate(self._nodes):
            above = self._nodes[node["parent"]]["depth"] if node["parent"] >= 0 else 0
            if node["depth"] != above + 1 or not node["parent"] < number:
                raise ValueError(f"parent and depth of node {number} contradict each other")
        nodes = [_Place(node["token"], node["parent"]) for node in self._nodes]
        self._first = first_prefixes(nodes, [tuple(beam["tokens"]) for beam in self._inputs])
        self._targets: dict[int, Distribution] = {}  # by first prefix
        self._shown: dict[int, Distribution] = {}  # by identity of the JSON object: what it became
        self._drafts: dict[int, Distribution] = {}  # by node
        self._draft_rows: dict[tuple[int, int], dict[str, Any]] = {}  # by first prefix and model

    def migrate(self) -> None:
        forest = self._forest
        self._read_targets(self._rows(forest.pop("target_laws", {})))
        self._draft_rows = {_key(row): row for row in self._rows(forest.pop("draft_laws", {}))}
        forest["layers"] = self._layers()
        forest["nodes"] = columns_of(self._live_nodes(), self._table)
        forest["target"] = self._target()
        forest["drawing"] = DRAWINGS[forest.get("drawing")]
        for decision in self._decisions:
            self._decision(decision)

    def _rows(self, table: dict[str, Any]) -> list[dict[str, Any]]:
        """A table of version 3, column by column, as rows; columns without meaning are empty."""
        found = {name: column for name, column in _known(table, _ROW).items() if column}
        rows = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
        keys = {_key(row) for row in rows}
        if len(keys) < len(rows) or not {prefix for prefix, _ in keys} <= set(self._first.values()):
            raise ValueError("a table names a prefix twice, or one that is not there")
        if any(model < 0 for _, model in keys):
            raise ValueError("a draft model cannot be negative")
        return rows

    # The target.

    def _read_targets(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            tempered = None
            if row.get("entropies") is not None and row.get("soft_totals") is not None:
                tempered = Tempered(self._temperature, row["soft_totals"], row["entropies"])
            self._targets[row["after"]] = self._raw(row, self._target_type, tempered)
        decided = set()
        for prefix, given in self._judged_targets():
            decided.add(prefix)
            if prefix in self._targets:
                self._shown[id(given)] = _with_shown(self._targets[prefix], given)
            else:
                self._shown[id(given)] = self._adopt(given, None, self._target_type)
        for prefix in self._targets.keys() - decided:
            try:
                self._warp_raw(self._targets[prefix])
            except ReplayError:  # too few tokens are listed to say what the warp made of them
                del self._targets[prefix]

    def _warp_raw(self, raw: Distribution) -> None:
        """Put in the probabilities of a row of raw logits. Raises ReplayError where they are not known."""
        if self._warp[1:] in ((None, None), (None, 1.0)) and not raw.complete:
            raw.probs, _ = raw.at_temperature(self._warp[0])
            raw.rest = max(0.0, 1.0 - float(raw.probs.sum(dtype=np.float64)))
        else:
            raw.probs = warped_anew(raw, *self._warp).probs

    def _judged_targets(self) -> Iterator[tuple[int, Any]]:
        """The target's distributions as decisions show them, not what rejections left of them."""
        for decision in self._decisions:
            given = decision.get("target")
            if isinstance(given, dict) and "places" not in given and not decision.get("candidate"):
                yield self._first[self._parent_of(decision)], given

    def _parent_of(self, decision: dict[str, Any]) -> int:
        """The prefix that the token of a decision follows."""
        return decision.get("after", -1) if decision["rule"] == "draw" else self._nodes[decision["node"]]["parent"]

    def _target(self) -> dict[str, int]:
        """The numbers of the target's distributions by prefix, as far as they are known."""
        inputs = self._inputs or [{"finished": False}]
        prefixes = [-1 - i for i, beam in enumerate(inputs) if not beam["finished"]]
        prefixes += [number for number, node in enumerate(self._nodes) if node["submitted"]]
        found = {prefix: self._targets.get(self._first[prefix]) for prefix in prefixes}
        return {str(prefix): self._table.number(given) for prefix, given in found.items() if given is not None}

    def _raw(self, row: dict[str, Any], dtype: type, tempered: Tempered | None = None) -> Distribution:
        """A row of raw logits; its probabilities are found later."""
        tokens, order = np.array(row["tokens"], dtype=np.int64), np.argsort(row["tokens"])
        complete = row["likeliest"] >= self._size
        likeliest = len(tokens) if complete else min(row["likeliest"], len(tokens))
        logits, total = _numbers(row["logits"], dtype), float(_numbers([row["log_totals"]], dtype)[0])
        if (np.diff(logits[: max(0, likeliest)]) > 0.0).any() or len(logits) != len(tokens):
            raise ValueError("a logit for each token, the likeliest come first, best first")
        probs = np.zeros(len(tokens), dtype=dtype)
        return Distribution(tokens[order], probs, logits[order], total, likeliest, complete, tempered=tempered)

    def _adopt(self, given: dict[str, Any], base: Distribution | None, dtype: type) -> Distribution:
        """A warped distribution of version 3: other probabilities of ``base`` where that lists its tokens."""
        _known(given, _DISTRIBUTION)
        if base is not None and not given["rest"] and set(given["tokens"]) <= set(base.tokens.tolist()):
            probs = _aligned(base, given)
            return base if np.array_equal(probs, base.probs) else base.with_probs(probs)
        tokens, order = np.array(given["tokens"], dtype=np.int64), np.argsort(given["tokens"])
        logprobs, probs = _numbers(given["logprobs"], dtype), _numbers(given["probs"], dtype)
        common = int((probs >= SMALLEST).sum()) if given["rest"] else min(self._entries, len(tokens))
        possible = int((logprobs > -np.inf).sum())
        complete = not given["rest"] and (possible < self._entries or len(tokens) >= self._size)
        return Distribution(*(tokens[order], probs[order], logprobs[order], 0.0, common, complete), rest=given["rest"])

    # The draft.

    def _layers(self) -> list[dict[str, Any]]:
        """The proposals that version 4 keeps: of whole layers, and all where it is not said how siblings were drawn."""
        layer = [self._first[-1 - i] for i in range(len(self._inputs))]
        found = []
        for proposal in self._forest.pop("proposals"):
            _known(proposal, _PROPOSAL)
            kept = {name: proposal[name] for name in ("parents", "draws", "replacement")}
            kept |= {"weights": proposal["parent_weights"], "distributions": []}
            if proposal.get("joint") is not None:
                kept["draws"] = proposal.get("order") or proposal["draws"]
                found.append(kept | self._joint_proposal(proposal, layer))
                layer = [self._first[prefix] for prefix in kept["draws"]]
                continue
            kept["distributions"] = [self._table.number(given) for given in self._proposal(proposal)]
            if self._forest.get("drawing") in ("search", None):
                found.append(kept)
        return found

    def _proposal(self, proposal: dict[str, Any]) -> list[Distribution]:
        """The distributions of a proposal; what its nodes were drawn from is put down."""
        draws = proposal["draws"]
        model = self._nodes[draws[0]].get("draft", 0) if draws else 0
        rooted = any(self._nodes[number].get("root") for number in draws)
        dtype = self._target_type if rooted else self._draft_type(model)
        found = [self._adopt(given, None, dtype) for given in proposal["conditionals"]]
        for parent, given in zip(proposal["parents"], found, strict=True):
            left = given  # of it when siblings are drawn without replacement
            for node in (number for number in draws if self._nodes[number]["parent"] == parent):
                token, prob = self._nodes[node]["token"], self._nodes[node]["draft_prob"]
                fitting = (one for one in (given, left) if math.isclose(one.prob(token), prob, rel_tol=1e-5))
                if (drawn_from := next(fitting, None)) is not None:
                    self._drafts[node] = drawn_from
                left = without(left, token)
        return found

    def _joint_proposal(self, proposal: dict[str, Any], layer: list[int]) -> dict[str, Any]:
        """The joint distribution of a proposal and the layer of beams it was made of, where the record has all of it;
        what its nodes were drawn from is put down."""
        joint = self._joint(proposal["joint"], proposal["parents"], len(set(layer)) < len(layer))
        found = {prefix: self._draft_rows.get((prefix, 0)) for prefix in layer}
        rows = {prefix: row for prefix, row in found.items() if row is not None}
        if len(rows) < len(found):
            return {"joint": self._table.number(joint), "beams": []}
        following = {prefix: self._raw(row, self._draft_type(0)) for prefix, row in rows.items() if row["tokens"]}
        try:
            for given in following.values():
                given.probs = warped_anew(given, self._temperature, *self._warp[1:]).probs
        except ReplayError:  # too few tokens are listed
            return {"joint": self._table.number(joint), "beams": []}
        drafts = {}
        for number in proposal["draws"] if not joint.rest else ():
            parent = self._nodes[number]["parent"]
            if parent not in drafts:
                drafts[parent] = conditional(joint, parent, following[parent])
            self._drafts[number] = drafts[parent]
        numbers = {prefix: self._table.number(given) for prefix, given in following.items()}
        beams = [{"prefix": k, "logprob": rows[k].get("logprobs"), "next": numbers.get(k)} for k in layer]
        return {"joint": self._table.number(joint), "beams": beams}

    def _joint(self, given: dict[str, Any], parents: list[int], copies: bool) -> JointDistribution:
        """The pairs in the order in which they were made: beam after beam, of a layer with copies by number."""
        _known(given, {*_DISTRIBUTION, "places"})
        rank = {prefix: prefix if copies else number for number, prefix in enumerate(parents)}
        prefixes, tokens = given["places"], given["tokens"]
        order = sorted(range(len(tokens)), key=lambda i: (rank.get(prefixes[i], 0), tokens[i]))
        places, following = (np.array([column[i] for i in order], dtype=np.int64) for column in (prefixes, tokens))
        probs, logprobs = (_numbers(given[name], np.float64)[order] for name in ("probs", "logprobs"))
        return JointDistribution(places, following, probs, logprobs, given["rest"])

    def _live_nodes(self) -> list[Node]:
        emitted = [one for one in self._iteration["emitted"] if one["node"] is not None]
        origins = [one["origin"] for one in emitted if self._nodes[one["node"]].get("root")]
        origin = origins[0] if origins else "target"
        return [
            Node(
                *(node["token"], node["parent"], node["depth"]),
                draft=self._drafts[number] if number in self._drafts else self._unproposed(number, node),
                submitted=node["submitted"],
                outcome=node["outcome"],
                model=node.get("draft", 0),
                score=node.get("score"),
                estimate=node.get("estimate"),
                root=origin if node.get("root") else None,
            )
            for number, node in enumerate(self._nodes)
        ]

    def _unproposed(self, number: int, node: dict[str, Any]) -> Distribution:
        """What a node was drawn from that no proposal shows."""
        model, prob = node.get("draft", 0), _probability(node["draft_prob"])
        dtype, row = self._draft_type(model), self._draft_rows.get((self._first[node["parent"]], model))
        if prob == 1.0 and row is not None and row["tokens"]:
            given = self._raw(row, dtype)
            given.probs = (given.tokens == node["token"]).astype(dtype)  # the warp had left it alone
            return given
        for decision in self._decisions:
            judged = decision.get("draft")
            if decision.get("node") == number and isinstance(judged, dict) and "places" not in judged:
                return self._adopt(judged, None, dtype)
        logprob, rest = _numbers([node["draft_logprob"]], dtype), 1.0 - prob
        return Distribution(
            np.array([node["token"]], dtype=np.int64), _numbers([prob], dtype), logprob, 0.0, 0, False, rest=rest
        )

    def _draft_type(self, model: int) -> type:
        return self._draft_types[min(model, len(self._draft_types) - 1)]

    # The decisions.

    def _decision(self, decision: dict[str, Any]) -> None:
        for old, new in (("chance", "acceptance_probability"), ("draw", "uniform")):
            if old in decision:
                decision[new] = decision.pop(old)
        for name in ("target", "draft", "source"):
            if decision.get(name) is not None:
                decision[name] = self._table.number(self._decided(decision, name, decision[name]))
        if decision["rule"] == "draw":
            decision.setdefault("after", -1)
        for name in ("target_prob", "draft_prob") if decision["rule"] != "typical" else ():
            _probability(decision.pop(name, 0.0))  # it is that of the distribution now

    def _decided(self, decision: dict[str, Any], name: str, given: dict[str, Any]) -> Any:
        """What a decision was judged by."""
        if "places" in given:
            layer = [self._first[-1 - i] for i in range(len(self._inputs))]
            return self._joint(given, sorted(set(given["places"]), reverse=True), len(set(layer)) < len(layer))
        if id(given) in self._shown:
            return self._shown[id(given)]
        if name == "draft":
            model = self._nodes[decision["node"]].get("draft", 0)
            return self._adopt(given, self._drafts.get(decision["node"]), self._draft_type(model))
        return self._adopt(given, self._targets.get(self._first[self._parent_of(decision)]), self._target_type)


def _with_shown(raw: Distribution, given: dict[str, Any]) -> Distribution:
    """A row of raw logits with what a decision shows of it: its probabilities, and tokens that are rarer."""
    _known(given, _DISTRIBUTION)
    rarer = [i for i, token in enumerate(given["tokens"]) if raw.index(token) is None]
    logprobs = _numbers([given["logprobs"][i] for i in rarer], raw.logits.dtype)
    tokens = np.concatenate([raw.tokens, np.array([given["tokens"][i] for i in rarer], dtype=np.int64)])
    order = np.argsort(tokens)
    raw.tokens, raw.logits = tokens[order], np.concatenate([raw.logits, logprobs + raw.log_total])[order]
    raw.probs, raw.rest = np.zeros(len(tokens), dtype=raw.logits.dtype), given["rest"]
    raw.probs = _aligned(raw, given)
    return raw


def _aligned(base: Distribution, given: dict[str, Any]) -> np.ndarray:
    """The probabilities of version 3 at the tokens of ``base``."""
    probs = np.zeros(len(base), dtype=base.probs.dtype)
    probs[np.searchsorted(base.tokens, given["tokens"])] = _numbers(given["probs"], base.probs.dtype)
    return probs


def _numbers(values: list[float | None], dtype: Any) -> np.ndarray:
    """Numbers of a file, None for minus infinity."""
    if not all(value is None or math.isfinite(value) for value in values):
        raise ValueError("a number is not finite")
    return np.array([-math.inf if value is None else value for value in values], dtype=np.float64).astype(dtype)


def _probability(value: float) -> float:
    if not 0.0 <= value <= 1.0 + 1e-6:  # room for the rounding of float32
        raise ValueError(f"a probability lies from 0 to 1, not {value:.6g}")
    return value


def _key(row: dict[str, Any]) -> tuple[int, int]:
    """What names a row of a table: the prefix, and the draft model."""
    return row["after"], row.get("drafts") or 0


def _known(part: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """The part of a file, if it has no other fields than these."""
    if not part.keys() <= names:
        raise ValueError(f"{min(part.keys() - names)[:40]!r} is no field of it")
    return part


def _dtype(model: dict[str, Any] | None) -> type:
    return np.float64 if model and model["dtype"] == "float64" else np.float32
