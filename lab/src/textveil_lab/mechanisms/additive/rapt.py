"""RAPT's text-to-text privatization: spherical Laplace noise on a language model's own token embeddings."""

from dataclasses import replace
from typing import Final

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance, ModelFolder, ProjectionName
from textveil_lab.models.token_table import token_vocabulary

PROOF: Final = "textveil_lab/proofs/rapt.md"


@proved(
    family="perturb and project",
    notion="metric DP",
    proof=PROOF,
    source="Li et al. 2023 (RAPT, arXiv 2305.06212), section on text-to-text privatization",
    summary="Noise of density exp(-rate ||z||) on a language model's token embeddings, then the nearest token.",
    needs="a model of any kind on disk (extra transformers)",
)
def rapt(
    vocabulary: Vocabulary,
    *,
    model: ModelFolder,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    clip: Clip | None = 1.0,
    projection: ProjectionName | None = None,
) -> PerturbProject:
    """Spherical Laplace noise over the words among a model's tokens, calibrated by exactly one of its two parameters.

    RAPT's additions, prompts tuned on released text and a reconstruction task, come after the release and cost nothing.
    RAPT draws every token of a text; here words are drawn. A word that is no single token of the model is mapped to one
    by the public rule for unknown words, or becomes a placeholder. The model must be public, and must not have been
    trained on the texts.

    ``epsilon_per_distance`` is the paper's eta, per unit of Euclidean distance between embeddings. ``model`` may be any
    model with token embeddings. The vocabulary is not used: words and vectors are the model's own.

    Raises:
        ParameterError: neither or both epsilons, or an option outside its domain.
        MissingExtra: torch or transformers is not installed.
        ModelError: the folder has no model with its tokenizer, or no words.
    """
    words, digest = token_vocabulary(model)
    noisy = spherical_laplace(
        words, epsilon=epsilon, epsilon_per_distance=epsilon_per_distance, clip=clip, projection=projection
    )
    facts = {**noisy.parameters, "model": words.name, "model_digest": digest[:16], "words": len(words)}
    return replace(noisy, name="rapt", parameters=facts, guarantee=replace(noisy.guarantee, source=PROOF))
