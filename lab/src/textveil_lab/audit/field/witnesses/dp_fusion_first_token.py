"""dp-fusion-lib: a model whose first token tells the private prompts apart; the accountant records none of it."""

import json
import warnings
from types import SimpleNamespace

import torch
from dp_fusion_lib.utils import dp_fusion_groups_incremental

warnings.simplefilter("ignore")


class Model:
    """Model that gives token 0 or 1 with probability 3/4, after the public or the private prompt."""

    device = torch.device("cpu")

    def __call__(self, input_ids: torch.Tensor, **_: object) -> SimpleNamespace:
        """Return logits of two tokens for each prompt of the batch."""
        logits = torch.tensor([[1.0986, 0.0], [0.0, 1.0986]])[:, None, :].expand(2, input_ids.shape[1], 2)
        return SimpleNamespace(logits=logits, past_key_values=None)


words = SimpleNamespace(eos_token_id=9, pad_token_id=0, decode=lambda tokens, **_: f"{len(tokens)}")
prompts = {"PUBLIC": torch.tensor([0]), "PRIVATE": torch.tensor([1])}
text, _, spent = dp_fusion_groups_incremental(prompts, {"PRIVATE": 10.0}, 2.0, Model(), words, max_new_tokens=5)
print(json.dumps({"claimed": len(spent["PRIVATE"]), "found": int(text) - 1, "what": "tokens charged, tokens drawn"}))
