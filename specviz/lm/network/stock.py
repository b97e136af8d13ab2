"""The forward pass as transformers has it, of any causal model."""

import torch
from transformers import PreTrainedModel
from transformers.cache_utils import Cache

from specviz.lm.network.cache import Outputs
from specviz.lm.network.exact import with_exact_likeliest
from specviz.lm.network.suitable import mask_for


class StockForward:
    """``model``'s own forward pass over rows of a trie; a ``Forward`` as ``lm/network/cache.py`` says."""

    def __init__(self, model: PreTrainedModel):
        self._model = model

    def __call__(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor | None, cache: Cache, last_only: bool
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
            output = self._model(
                input_ids=tokens[None],
                attention_mask=mask_for(self._model, mask),
                position_ids=positions[None],
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1 if last_only else 0,
            )
        finally:
            if hook:
                hook.remove()
        return output.logits[0], seen[0][0] if seen else None
