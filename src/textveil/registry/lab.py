"""The package ``textveil-lab``: what it adds to textveil by entry points, and the error if it is not installed.

The lab registers as any other package does. Its names are known here only to say how to install it.
"""

from typing import Any, Final

from textveil.errors import MissingLab
from textveil.registry.table import entry_points, loaded

FUNCTIONS: Final = "textveil.functions"
"""Entry points of functions that ``textveil`` offers under their names: ``textveil.audit``."""

COMMANDS: Final = (
    "audit",
    "audit-field",
    "audit-gateway",
    "audit-package",
    "check-tables",
    "decode",
    "estimate",
    "frontier",
    "reproduce",
    "rewrite",
    "tune",
)

MECHANISMS: Final = """
optimal exponential metric-exponential tem tgm santext santext-plus elastic privic hyperbolic-exponential same-tag
custext custext-plus diffractor keywords sense-laplace earth-mover dp-prompt dp-paraphrase dp-fusion dp-bart dp-rewrite
adept subset-selection text-to-vectors unary-encoding optimized-unary-encoding dpnr cape geng optimal-noise
spherical-laplace cmp cmp-approximate mahalanobis vickrey brr rapt word-budgets hyperbolic-laplace pte gaussian
gaussian-classical laplace truncated-laplace dpnr-published cape-published ome-published dptext-published
dp-bart-published adept-published mahalanobis-published vickrey-published dp-prompt-published
truncated-laplace-published gaussian-classical-published tgm-published tem-published custext-published
scored-budgets-published rantext-published diffractor-published
"""
"""Its mechanisms, with spaces between them."""


def lab_function(name: str) -> Any:
    """Return the function that an installed package offers under a name.

    Raises MissingLab: no package does; ParameterError: it cannot be loaded.
    """
    for point in entry_points(group=FUNCTIONS):
        if point.name == name:
            return loaded(point)
    raise MissingLab(f"`textveil.{name}`")
