"""Between the processor and a GPU: what arrives is what was sent. Where there is no GPU, the packing alone is tried."""

import numpy as np
import pytest
import torch

from specviz.lm.language_model import Scores
from specviz.lm.scoring import distributions
from specviz.lm.transfer import _packed, _parts, on_host, sent
from specviz.lm.warp import Warp

CPU = torch.device("cpu")
PARTS = (
    torch.tensor([[1.5, -2.0, 3.25]]),
    torch.tensor([[7, 1 << 40, 3]]),
    torch.tensor([0.1], dtype=torch.float16),
    torch.zeros(0, 4),
    torch.tensor([2.5, 1e300], dtype=torch.float64),
    torch.arange(12, dtype=torch.float32).view(3, 4).t(),
)


def test_what_is_packed_comes_out_as_it_was():
    packed = _packed(PARTS)
    assert packed.dtype == torch.uint8 and len(packed) == sum(part.numel() * part.element_size() for part in PARTS)
    found = _parts(packed, PARTS)
    assert all(one.dtype == other.dtype and torch.equal(one, other) for one, other in zip(found, PARTS, strict=True))


def test_on_a_processor_nothing_is_copied():
    (array,) = on_host(PARTS[0])
    array[0, 0] = 9.0
    assert PARTS[0][0, 0] == 9.0
    array[0, 0] = 1.5
    assert sent(array, CPU).data_ptr() == PARTS[0].data_ptr()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU on this machine")
def test_a_gpu_sends_and_gets_what_was_meant():
    device = torch.device("cuda:0")
    array = np.arange(6.0).reshape(2, 3)
    assert sent(array, device).is_cuda and sent(array, device).cpu().tolist() == array.tolist()
    for found, part in zip(on_host(*(part.to(device) for part in PARTS)), PARTS, strict=True):
        np.testing.assert_array_equal(found, part.numpy())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU on this machine")
def test_distributions_made_on_a_gpu_are_the_processors():
    logits = torch.randn(5, 400, generator=torch.Generator().manual_seed(0))
    given = {"entries": 20, "include": {0: [3, 7], 4: [9]}}
    ours = distributions(Scores(logits.cuda()), Warp(1.0, 20, 0.9), **given)
    for one, other in zip(ours, distributions(Scores(logits), Warp(1.0, 20, 0.9), **given), strict=True):
        assert one.tokens.tolist() == other.tokens.tolist() and one.logits.tolist() == other.logits.tolist()
        np.testing.assert_allclose(one.probs, other.probs, atol=1e-6)
        assert one.log_total == pytest.approx(other.log_total, abs=1e-5)
