"""Cross-entropy of a softmax over all words that is never held for all tokens at once.

For 10,000 tokens and 10,000 words the logits take 400 MB, and so do their logarithms and their gradients: what limits a
step is then memory. Here a block of tokens is taken at a time, and its gradients are made while its logits are at hand.
The gradient of the mean loss with respect to the logits of a token is (softmax - indicator of its word) / tokens.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from textveil.numerics.torch_package import load_torch

if TYPE_CHECKING:
    import torch

_CELLS: Final = {"cpu": 1 << 21}  # Logits that are held at once: 8 MB where the processor's caches matter
_CELLS_ELSEWHERE: Final = 1 << 26


def mean_cross_entropy(
    states: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, wanted: torch.Tensor, *, halved: bool = False
) -> torch.Tensor:
    """Mean nats of the wanted ids, with gradients for the first three; a scalar.

    Args:
        states: shape (tokens, hidden).
        weight: a row for each id, shape (ids, hidden).
        bias: shape (ids,).
        wanted: shape (tokens,).
        halved: whether matrix products are of bfloat16; everything between them is float32 all the same.
    """
    return _function().apply(states, weight, bias, wanted, halved)


def cross_entropies(
    states: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, wanted: torch.Tensor
) -> torch.Tensor:
    """Nats of each wanted id, without gradients, shape (tokens,); see ``mean_cross_entropy``."""
    torch = load_torch()
    rows = block_tokens(weight)
    parts = [
        torch.nn.functional.cross_entropy(torch.addmm(bias, some, weight.t()), ids, reduction="none")
        for some, ids in zip(torch.split(states, rows), torch.split(wanted, rows), strict=True)
    ]
    return torch.cat(parts)


def block_tokens(weight: torch.Tensor) -> int:
    """Tokens whose logits are held at once."""
    return max(64, _CELLS.get(weight.device.type, _CELLS_ELSEWHERE) // len(weight))


@cache
def _function() -> Any:
    """The function with a gradient of its own: its class needs torch."""
    torch = load_torch()

    class MeanCrossEntropy(torch.autograd.Function):  # type: ignore[name-defined,misc]
        @staticmethod
        def forward(ctx: Any, states: Any, weight: Any, bias: Any, wanted: Any, halved: bool) -> Any:
            total = torch.zeros((), dtype=torch.float64, device=states.device)
            to_states, to_weight, to_bias = torch.empty_like(states), torch.zeros_like(weight), torch.zeros_like(bias)
            rows, dtype = block_tokens(weight), torch.bfloat16 if halved else states.dtype
            table, points = weight.to(dtype), states.to(dtype)
            for start in range(0, len(states), rows):
                some, ids = points[start : start + rows], wanted[start : start + rows, None]
                logits = torch.mm(some, table.t()).float().add_(bias)
                logs = logits.logsumexp(dim=1, keepdim=True)
                total += (logs - logits.gather(1, ids)).sum(dtype=torch.float64)
                logits.sub_(logs).exp_()
                logits.scatter_add_(1, ids, torch.full_like(logs, -1.0))
                to_bias.add_(logits.sum(dim=0))
                logits = logits.to(dtype)
                to_states[start : start + rows] = logits.mm(table)
                to_weight.add_(logits.t().mm(some))
            ctx.save_for_backward(to_states, to_weight, to_bias)
            ctx.tokens = len(states)
            return (total / len(states)).to(states.dtype)

        @staticmethod
        def backward(ctx: Any, outer: Any) -> Any:
            scale = outer / ctx.tokens
            return *(gradient * scale for gradient in ctx.saved_tensors), None, None

    return MeanCrossEntropy
