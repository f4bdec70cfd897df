"""Claims about generated and rewritten texts: one step of a model's decoder, texts that are handed on, synonyms."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from textveil.audit.field.cases import Case, ClaimBasis, ClaimText, TrialSetting, line
from textveil.audit.field.channels import softmax, two_inputs
from textveil.audit.field.subjects import ComputedTable
from textveil.types import Reals

BOUNDS = (-19.22705113016047, 7.48324937989716)
"""b1 and b2 of LLMDP's DPPrompt, from a sample of FLAN-T5's logits."""

_PROMPTS = ("a prompt", "another prompt")
_TOKENS = ("token 1", "token 2", "token 3", "token 4")

_LOGITS = np.array([[40.0, -60.0, -30.0, -25.0], [-60.0, 40.0, -25.0, -30.0]])
"""Of a made model, for two prompts; they leave the bounds, as nothing in a model prevents."""


def _step(setting: TrialSetting, logits: Reals, kept: int = len(_TOKENS)) -> ComputedTable:
    """One token from softmax(logits / temperature), temperature 2 (b2 - b1) / epsilon, among the ``kept`` best."""
    temperature = 2 * (BOUNDS[1] - BOUNDS[0]) / setting.epsilon
    least = np.sort(logits, axis=1)[:, [-kept]]
    return ComputedTable(
        rows=softmax(np.where(logits >= least, logits / temperature, -np.inf)),
        claims=setting.epsilon,
        inputs=_PROMPTS,
        outputs=_TOKENS,
        facts=MappingProxyType({"epsilon of a token": setting.epsilon, "temperature": temperature, "kept": kept}),
    )


def _clipped(setting: TrialSetting) -> ComputedTable:
    return _step(setting, np.clip(_LOGITS, *BOUNDS))


_WITHOUT = ("a text without triples", "another one")
_handed_on = two_inputs(np.eye(2), _WITHOUT, _WITHOUT)
"""Each of two texts in which no triple is found comes out as it is."""

_withheld = two_inputs(np.ones((2, 1)), _WITHOUT, ("a public text",))
"""One public text for all in which no triple is found."""

_SYNONYMS = {"couch": ("couch", "sofa"), "doctor": ("doctor", "physician")}


def _own_synonyms(setting: TrialSetting) -> ComputedTable:
    """Outputs are the word's own synonyms, all with one score."""
    outputs = tuple(word for words in _SYNONYMS.values() for word in words)
    rows = np.array([[0.5 if word in words else 0.0 for word in outputs] for words in _SYNONYMS.values()])
    return ComputedTable(rows=rows, claims=setting.epsilon, inputs=tuple(_SYNONYMS), outputs=outputs)


def _all_outputs(setting: TrialSetting) -> ComputedTable:
    """The exponential mechanism over all outputs: score 1 for a synonym, 0 for others."""
    outputs = tuple(word for words in _SYNONYMS.values() for word in words)
    scores = np.array([[float(word in words) for word in outputs] for words in _SYNONYMS.values()])
    rows = softmax(setting.epsilon / 2 * scores)
    return ComputedTable(rows=rows, claims=setting.epsilon, inputs=tuple(_SYNONYMS), outputs=outputs)


_TWO = line(1.0, 0.0, 1.0)
_STEP = line(10.0, 0.0, 1.0)

CASES: tuple[Case, ...] = (
    Case(
        about=ClaimText(
            name="dp-prompt-unclipped",
            work="DP-Prompt",
            part="open models, any prompt",
            claim="2 (b2 - b1) / temperature a token, for any two prompts",
            source="github.com/SaitejaUtpala/dp_prompt, mechanisms/documentlevel; Utpala et al., arXiv 2310.16111",
            basis=ClaimBasis.CODE,
            why="No logit is clipped to [b1, b2], so the bound rests on what a model happens to do (here: a made one).",
            repair="clip logits before they are divided by the temperature",
            instead="dp-prompt",
            form="dp-prompt-published",
            reading=(
                "The theorem of Utpala et al. clips logits to [b1, b2]; the public code does not. For a model that "
                "keeps its logits within the bounds by itself, the claim holds."
            ),
        ),
        setting=_STEP,
        published=lambda setting: _step(setting, _LOGITS),
        repaired=_clipped,
    ),
    Case(
        about=ClaimText(
            name="llmdp-prompt",
            work="LLMDP (in DPMLM, DP-ST and PrivFill)",
            part="DPPrompt, one token",
            claim="epsilon a token, for any two prompts",
            source="github.com/sjmeis/DPMLM, LLMDP.py, class DPPrompt",
            basis=ClaimBasis.CODE,
            why="Logits are clipped, top_k is 0 and top_p is 1: an exponential mechanism (its length is the input's).",
        ),
        setting=_STEP,
        published=_clipped,
    ),
    Case(
        about=ClaimText(
            name="llmdp-paraphrase",
            work="LLMDP (in DPMLM, DP-ST and PrivFill)",
            part="DPParaphrase",
            claim="epsilon a token, for any two prompts",
            source="github.com/sjmeis/DPMLM, LLMDP.py, class DPParaphrase",
            basis=ClaimBasis.CODE,
            why="top_k stays at its default of 50: outputs are those that the input makes likely (here: 2 of 4).",
            repair="top_k 0",
            instead="dp-paraphrase",
        ),
        setting=_STEP,
        published=lambda setting: _step(setting, np.clip(_LOGITS, *BOUNDS) + np.arange(4) * [[0.1], [-0.1]], kept=2),
        repaired=_clipped,
    ),
    Case(
        about=ClaimText(
            name="dp-st-unchanged",
            work="DP-ST",
            part="texts in which no triple is found",
            claim="epsilon, for two texts",
            source="github.com/sjmeis/DPST, src/dpst/core.py, DPST.privatize; EMNLP 2025",
            basis=ClaimBasis.CODE,
            why="Such a text is returned as it is.",
            repair="one public text for all of them",
            instead="",
        ),
        setting=_TWO,
        published=_handed_on,
        repaired=_withheld,
    ),
    Case(
        about=ClaimText(
            name="mldp-syntf",
            work="MLDP",
            part="SynTF",
            claim="epsilon, for any two words",
            source="mldp-text 0.1.2 (github.com/sjmeis/MLDP), class SynTF; Weggenmann and Kerschbaum 2018",
            basis=ClaimBasis.CODE,
            why="Outputs are the synonyms of the word itself, so they tell which word it was.",
            repair="score all outputs, not the word's own synonyms alone",
            instead="exponential",
        ),
        setting=_TWO,
        published=_own_synonyms,
        repaired=_all_outputs,
    ),
)
"""Claims about texts."""
