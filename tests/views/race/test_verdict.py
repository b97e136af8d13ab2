"""The verdict, the dials and the timeline say what the metrics say."""

from dataclasses import replace

import pytest

from specviz.views.race.dials import dials
from specviz.views.race.timeline import lane_names, phase_seconds, timeline_figure, timeline_text
from specviz.views.race.verdict import disturbance, lesson_of, paces, verdict, verdict_text
from tests.beam_traces import layers_trace, search_trace
from tests.rule_traces import heads_trace, typical_trace
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

LANES = (autoregressive_trace(), speculative_trace(), mtad_trace())


def test_verdict():
    assert verdict(LANES) == [
        "Autoregressive emitted 3 tokens in 3 target calls, Speculative decoding emitted 7 tokens in 3 target calls, "
        "MTAD emitted 6 tokens in 2 target calls.",
        "Speculative decoding was 1.81 times as fast as autoregressive decoding (172.84 against 95.24 tokens/s): "
        "an iteration costs 1.29 autoregressive calls and yields 2.33 tokens.",
        "MTAD was 2.33 times as fast as autoregressive decoding (222.2 against 95.2 tokens/s): "
        "an iteration costs 1.29 autoregressive calls and yields 3 tokens.",
        "Speculative decoding wrote the text likeliest under the target (perplexity, lower is likelier: "
        "Speculative decoding 1.70, Autoregressive 1.87, MTAD 3.25).",
        "Autoregressive and Speculative decoding follow the target's distribution exactly; "
        "MTAD no longer follows the target's distribution.",
        "Autoregressive and Speculative decoding wrote different texts from one seed, and nothing is lost: each draws "
        "from the target's distribution, but they spend their random numbers on different things.",
    ]
    assert lesson_of(LANES) == "lossless"


def _greedy(trace):
    return replace(trace, header=replace(trace.header, options={**trace.header.options, "temperature": 0}))


def _written(trace, like):
    """The lane, its tokens those of another as far as they go."""
    tokens = iter([token for iteration in like.iterations for token in iteration.emitted])
    steps = (
        replace(step, emitted=tuple(replace(old, token=next(tokens, old).token) for old in step.emitted))
        for step in trace.iterations
    )
    return replace(trace, iterations=tuple(steps))


def test_what_it_means_that_lossless_lanes_wrote_the_same_or_not():
    alone, guessed, joint = LANES
    same = _written(guessed, alone)
    greedy = [_greedy(lane) for lane in (alone, same, joint)]
    assert verdict(greedy)[-1] == (
        "Autoregressive and Speculative decoding wrote the same text, token for token: nothing was drawn, so it is "
        "plain decoding's."
    )
    assert "different texts although nothing was drawn" in verdict([_greedy(alone), _greedy(guessed)])[-1]
    for lanes in ([alone, same], [guessed, joint], [alone, _greedy(guessed)], [alone], greedy):
        assert "different texts" not in verdict_text(lanes) and lesson_of(lanes) == ""
    other = replace(guessed, header=replace(guessed.header, seed=1))
    assert "different texts" not in verdict_text([alone, other])  # of another seed
    assert "different texts" in verdict_text([alone, other, guessed])
    greedy_too = replace(greedy[1], header=replace(greedy[1].header, seed=1))
    assert "the same text" in verdict_text([greedy[0], greedy_too])  # where nothing is drawn any seed is the same


def test_guarantees_and_distances_are_named():
    lanes = [make() for make in (typical_trace, heads_trace, layers_trace, search_trace)]
    assert verdict(lanes)[-1] == (
        "Typical (lossy: total variation 0.30 on the reference model) no longer follows the target's distribution; "
        "Heads gives the target's own greedy text, whatever the temperature; "
        "Layers has the distribution of beam sampling on the target; "
        "Search gives the text of beam search on the target."
    )


def test_only_one_text_of_the_target_alone_is_the_base():
    beams = layers_trace()
    alone = replace(
        beams, header=replace(beams.header, draft=None), metrics=replace(beams.metrics, acceptance_rate=None)
    )
    assert "autoregressive decoding (" not in verdict_text([alone, speculative_trace()])
    assert "autoregressive decoding (" in verdict_text([autoregressive_trace(), alone])


def test_a_slow_lane_is_called_slow_and_told_why():
    lane = speculative_trace()
    metrics = replace(lane.metrics, seconds=0.15, tokens_per_second=7 / 0.15, acceptance_rate=0.05)
    slow = replace(lane, metrics=metrics)
    said = verdict_text([autoregressive_trace(), slow])
    assert "was slower than autoregressive decoding (0.49 times its speed, 46.7 against 95.2" in said
    assert "an iteration costs 4.76 autoregressive calls and yields 2.33 tokens" in said
    assert "5 % of the offered tokens were accepted, too few for this cost" in said
    assert "(a draft call costs 0.10 target calls)" in said


def busy(trace, share=0.4, slowdown=1.1):
    return replace(trace, metrics=replace(trace.metrics, processor_share=share, call_slowdown=slowdown))


DISTURBED = (
    "The machine was busy while Speculative decoding ran: it had the processor for 40 % of its time, so nothing "
    "follows from its speed. It emitted 2.33 tokens per target call."
)


def test_nothing_is_concluded_from_a_disturbed_speed():
    plain, speculative, mtad = LANES
    slow = replace(speculative, metrics=replace(speculative.metrics, tokens_per_second=5.0))
    said = verdict([plain, busy(slow), mtad])
    assert said[1].startswith("MTAD was 2.33 times as fast") and said[2] == DISTURBED and len(said) == 6
    assert "too few" not in " ".join(said) and "slower" not in " ".join(said)


def test_a_disturbed_autoregressive_lane_is_compared_with_nothing():
    plain, speculative, mtad = LANES
    said = verdict([busy(plain), speculative, mtad])
    assert said[1] == "Speeds: MTAD 222.2 tokens/s, Speculative decoding 172.8 tokens/s."
    assert said[2].startswith("The machine was busy while Autoregressive ran") and len(said) == 6
    assert [pace and pace["kind"] for pace in paces([busy(plain), speculative, mtad])] == ["disturbed", None, None]


def test_a_race_of_disturbed_lanes_has_no_speeds():
    said = verdict([busy(lane) for lane in LANES])
    assert said[2] == DISTURBED and sum("nothing follows" in one for one in said) == 3
    assert "tokens/s" not in " ".join(said)


def test_slow_calls_are_said_where_the_processor_was_there():
    said = disturbance("this lane", busy(speculative_trace(), share=None, slowdown=3.14))
    assert said == (
        "The machine was busy while this lane ran: half of its calls took at least 3.1 times as long as the fastest, "
        "so nothing follows from its speed. It emitted 2.33 tokens per target call."
    )


def test_a_disturbed_lane_says_so_in_place_of_its_pace():
    plain, speculative, mtad = LANES
    found = paces([plain, busy(speculative), mtad])
    assert [pace and pace["kind"] for pace in found] == [None, "disturbed", "faster"]
    assert found[1]["text"] == DISTURBED.replace("Speculative decoding", "this lane")


def test_tokens_per_target_call_are_the_headline_of_a_disturbed_lane():
    keys = [dial["key"] for dial in dials(speculative_trace()) if dial["usual"]]
    assert keys[:2] == ["tokens_per_second", "tokens_per_target_call"]
    of_busy = [dial["key"] for dial in dials(busy(speculative_trace())) if dial["usual"]]
    assert of_busy == [*keys[1:], keys[0]]


def test_without_an_autoregressive_lane_speeds_are_ranked():
    assert "Speeds: MTAD 222.2 tokens/s, Speculative decoding 172.8 tokens/s." in verdict(LANES[1:])


def test_nothing_emitted_yet():
    lane = autoregressive_trace()
    empty = replace(lane, iterations=(), metrics=replace(lane.metrics, tokens=0))
    assert verdict([empty]) == ["No lane has emitted a token yet."]
    assert timeline_text([empty]) == "Autoregressive: 0 ms in 0 iterations: nothing yet."


def test_lanes_of_one_method_are_told_apart():
    first = speculative_trace()
    other = replace(first, header=replace(first.header, options=first.header.options | {"gamma": 6}))
    assert lane_names([first, other]) == ("Speculative decoding (gamma 3)", "Speculative decoding (gamma 6)")
    assert lane_names([first, first]) == ("Speculative decoding, lane 1", "Speculative decoding, lane 2")


def at(trace, **options):
    return replace(trace, header=replace(trace.header, options=trace.header.options | options))


def test_lanes_of_different_temperature_are_said_to_differ():
    plain, speculative, mtad = (at(lane, temperature=1.0) for lane in LANES)
    cold = at(speculative, temperature=0.5)
    assert lane_names([plain, cold]) == ("Autoregressive (temperature 1)", "Speculative decoding (temperature 0.5)")
    assert lane_names([plain, at(mtad, tau=0.7)]) == ("Autoregressive", "MTAD")
    likelihood, guarantees, apart = verdict([plain, cold])[-3:]
    assert "; the lanes differ in temperature, which alone" in likelihood
    assert guarantees == (
        "Autoregressive (temperature 1) follows the target's distribution exactly; "
        "Speculative decoding (temperature 0.5) follows the target's distribution exactly."
    )
    assert apart.startswith("The lanes differ in temperature: ") and apart.endswith("different distributions.")
    several = verdict([plain, at(cold, top_k=None)])[-1]
    assert several.startswith("The lanes differ in temperature and top-k: ")
    assert "The lanes differ" not in verdict_text([plain, speculative])


def test_timeline_segments_add_up():
    figure = timeline_figure(LANES)
    for lane, trace in enumerate(LANES):
        drawn = sum(x for bar in figure.data for x, y in zip(bar.x, bar.y, strict=True) if y == lane)
        assert drawn == pytest.approx(1000 * trace.metrics.seconds)
    assert phase_seconds(LANES[1])["target"] == pytest.approx(0.03)
    assert timeline_text(LANES).split("\n")[1] == (
        "Speculative decoding: 40.5 ms in 3 iterations: draft calls 9 ms (22 %); target calls 30 ms (74 %); "
        "verifying 1.5 ms (4 %)."
    )


def test_dials():
    shown = {dial["key"]: (dial["text"], dial["unit"]) for dial in dials(speculative_trace()) if dial["usual"]}
    assert shown == {
        "tokens_per_second": ("173", "tokens/s"),
        "tokens_per_target_call": ("2.33", ""),
        "acceptance_rate": ("44", "%"),
        "perplexity": ("1.70", ""),
        "flops_per_token": ("26.0", "MFLOP"),
    }
    assert {dial["key"]: dial["text"] for dial in dials(autoregressive_trace())}["acceptance_rate"] == "–"
    assert all(dial["help"] for dial in dials(speculative_trace()))


def test_joules_appear_only_when_measured():
    lane = speculative_trace()
    measured = replace(lane, metrics=replace(lane.metrics, joules_per_token=0.25))
    assert "joules_per_token" in [dial["key"] for dial in dials(measured) if dial["usual"]]
    (missing,) = (dial for dial in dials(lane) if dial["key"] == "joules_per_token")
    assert missing["text"] == "–" and not missing["usual"]


def test_the_dial_says_why_there_are_no_joules():
    lane = replace(speculative_trace(), no_energy="its fuse blew")
    (missing,) = (dial for dial in dials(lane) if dial["key"] == "joules_per_token")
    assert missing["help"].endswith("on the machine that ran this: its fuse blew; nothing is estimated.")


def test_numbers_that_a_reader_can_choose_besides():
    lane = speculative_trace()
    more = {"alpha": 0.6328, "acceptance_by_depth": (2 / 3, 0.5, 1.0), "bytes_per_token": 26_674_816.0}
    more |= {"kv_bytes_peak": 1_077_248, "kv_bytes_separate": None}
    found = {d["key"]: d for d in dials(replace(lane, metrics=replace(lane.metrics, **more)))}
    shown = {key: (found[key]["text"], found[key]["unit"]) for key in more}
    assert shown == {
        "alpha": ("0.63", ""),
        "acceptance_by_depth": ("67 50 100", "%"),
        "bytes_per_token": ("26.7", "MB"),
        "kv_bytes_peak": ("1.08", "MB"),
        "kv_bytes_separate": ("–", ""),
    }
    assert not any(found[key]["usual"] for key in more)
