"""All claims of the field, and the audits of the catalog's published forms."""

from typing import Final

from textveil_lab.mechanisms.published import (
    codes,
    custext,
    diffractor,
    dp_prompt,
    mahalanobis,
    rantext,
    scored_budgets,
    tem,
    tgm,
    truncated_laplace,
    vectors,
    vickrey,
    words,
)
from textveil_lab.mechanisms.published.claims import PublishedClaim

_MODULES: Final = (
    *(tem, vickrey, tgm, words, custext, rantext, diffractor, truncated_laplace),
    *(vectors, codes, mahalanobis, dp_prompt),
)
_ORDER: Final = (
    *("mldp-tem", "mldp-vickrey", "mldp-truncated-gumbel", "mldp-multivariate", "pypantera-tem", "pypantera-custext"),
    *("custext-aggressive", "custext-conservative", "rantext", "clusant-standard", "santext", "santext-workers"),
    *("diffractor-seed", "diffractor-list", "trlaplace-shared", "dpnr-scalar", "cape-constant", "llmdp-bart-shared"),
    *("truncated-laplace-theorem", "dp-bart-script", "dp-bart-analytic", "adept", "dp-rewrite", "dpnr-sensitivity"),
    *("cape-sensitivity", "pypantera-mahalanobis", "dp-prompt-unclipped", "llmdp-prompt", "llmdp-paraphrase"),
    *("dp-st-unchanged", "mldp-syntf"),
)

CLAIMS: Final[tuple[PublishedClaim, ...]] = tuple(
    sorted((claim for module in _MODULES for claim in module.CLAIMS), key=lambda claim: _ORDER.index(claim.name))
)
"""Claims that are derived again and computed: of words, repeated random numbers, vectors and texts."""

TRIALS: Final = {
    "dp-bart-published": codes.BART_TRIAL,
    "dp-prompt-published": dp_prompt.TRIAL,
    "adept-published": codes.ADEPT_TRIAL,
    "gaussian-classical-published": truncated_laplace.GAUSSIAN_TRIAL,
    "mahalanobis-published": mahalanobis.TRIAL,
    "scored-budgets-published": scored_budgets.TRIAL,
    "ome-published": vectors.OME_TRIAL,
    "dptext-published": vectors.DPTEXT_TRIAL,
}
"""Trials by the form's name in the catalog."""
