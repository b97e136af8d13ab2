"""The tiny pair, loaded."""

import pytest

from specviz.lm.loading.pairs import load_pair
from tests.tiny_pair import write_pair


@pytest.fixture(scope="session")
def pair(tmp_path_factory):
    return load_pair(*write_pair(tmp_path_factory.mktemp("pair")), device="cpu")
