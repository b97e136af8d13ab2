"""Reading prompts: ours and transformers' are really read, a second run is not."""

from specviz.commands.show_measures import reading_table
from specviz.lab.measures import reading
from specviz.lm.loading.pairs import load_pair
from tests.printing import printed
from tests.tiny_pair import write_pair


def test_lengths_that_fit_are_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LENGTHS", (200, 400, 600))
    target = load_pair(*write_pair(tmp_path), device="cpu").target
    assert target.context == 512
    found = list(reading.reading_times([target], rounds=2))
    assert [one.tokens for one in found] == [200, 400] and {one.model for one in found} == {"target"}
    assert all(0 < one.again < one.ours and one.transformers > 0 for one in found)
    assert "400" in printed(reading_table(found))
    assert target.prompts.recall([1] * 200, False) == (None, 0)  # nothing of it is kept


def test_the_long_model_reads_the_longest():
    model = reading.long_model()
    assert model.forward == "lean" and model.context > max(reading.LENGTHS)
