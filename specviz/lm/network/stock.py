"""The forward pass as transformers has it, of any causal model."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from transformers import PreTrainedModel
from transformers.cache_utils import Cache

from specviz.errors import ModelError
from specviz.lm.network.cache import LAST, Outputs
from specviz.lm.network.exact import with_exact_likeliest
from specviz.lm.network.suitable import mask_for


class StockForward:
    """``model``'s own forward pass over rows of a trie; a ``Forward`` as ``lm/network/cache.py`` says."""

    def __init__(self, model: PreTrainedModel):
        self._model = model

    def __call__(
        self,
        tokens: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor | None,
        cache: Cache,
        last_only: bool = False,
        layers: tuple[int, ...] = (),
    ) -> Outputs:
        if mask is None:
            mask = torch.ones(len(tokens), cache.get_seq_length() + len(tokens), dtype=torch.bool, device=tokens.device)
        seen: list[torch.Tensor] = []  # by the vocabulary projection: [1, rows, width]

        def projected(
            head: torch.nn.Module, inputs: tuple[torch.Tensor, ...], logits: torch.Tensor
        ) -> torch.Tensor | None:
            seen.append(inputs[0])
            if type(head) is not torch.nn.Linear or head.weight.is_meta:  # quantised, adapted, offloaded
                return None
            return with_exact_likeliest(logits[0], inputs[0][0], head.weight, head.bias)[None]

        head = self._model.get_output_embeddings()
        hook = head and head.register_forward_hook(projected)
        try:
            with states_after(self._model, layers) as after:
                output = self._model(
                    input_ids=tokens[None],
                    attention_mask=mask_for(self._model, mask),
                    position_ids=positions[None],
                    past_key_values=cache,
                    use_cache=True,
                    logits_to_keep=1 if last_only and LAST not in layers else 0,
                )
        finally:
            if hook:
                hook.remove()
        if seen:
            after[LAST] = seen[0]
        found = [after[number][0] for number in layers if number in after]
        states = torch.cat(found, dim=-1) if found and len(found) == len(layers) else None
        return Outputs(output.logits[0], seen[0][0] if seen else None, states)


@contextmanager
def states_after(model: PreTrainedModel, layers: Sequence[int]) -> Generator[dict[int, torch.Tensor]]:
    """Inside, each forward pass of ``model`` leaves here what its rows are after these of its layers ([texts, rows,
    width] each); ``LAST`` is passed over, since the pass gives it."""
    after: dict[int, torch.Tensor] = {}

    def keep(number: int, _layer: torch.nn.Module, _inputs: object, output: torch.Tensor | tuple[torch.Tensor]) -> None:
        after[number] = output if isinstance(output, torch.Tensor) else output[0]

    hooks = [
        layers_of(model)[1][number - 1].register_forward_hook(partial(keep, number)) for number in {*layers} - {LAST}
    ]
    try:
        yield after
    finally:
        for hook in hooks:
            hook.remove()


def layers_of(model: PreTrainedModel) -> tuple[str, torch.nn.ModuleList]:
    """The model's layers and the name of their list. Raises ModelError where they are not one list."""
    count = model.config.get_text_config().num_hidden_layers
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count:
            return name, module
    raise ModelError(f"the layers of {model.config.model_type} are not one list: no draft can read or begin as them")
