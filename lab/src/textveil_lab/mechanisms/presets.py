"""Presets: mechanisms that fix options of another one. Each is a row: name, target, options, source.

A preset draws the same bytes as its target, under its own name. This module makes its constructor on demand:
``textveil_lab.mechanisms.presets:cmp``.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Annotated, Any, Final, get_args, get_type_hints

from textveil.mechanisms.declaration import declared, entry_of
from textveil.registry.options import GUARANTEE, Option, interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One preset."""

    name: str  # name for users
    of: str  # the maker whose options it fixes, ``module:function`` below ``textveil.mechanisms``
    source: str  # publication
    summary: str  # one line
    about: str  # its docstring, without its options
    # options that have these values, and are none of the preset's
    fixed: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)  # options that have other defaults
    unset: Mapping[str, Any] = field(default_factory=dict)  # meaning of options that are not given
    declared: Mapping[str, Option] = field(default_factory=dict)  # options that are declared in another way
    unreported: tuple[str, ...] = ()  # parameters that its reports do not hold
    # others in which its entry differs from that of the mechanism that it is of; see ``CatalogEntry``
    facts: Mapping[str, Any] = field(default_factory=dict)

    def maker(self) -> Callable[..., Any]:
        module, _, function = self.of.partition(":")
        base = getattr(import_module(f"textveil_lab.mechanisms.{module}"), function)
        plain, entry, row = inspect.unwrap(base), entry_of(base), self
        assert entry is not None

        def make(vocabulary: Any, **options: Any) -> Any:
            meant = {key: value for key, value in row.unset.items() if options.get(key) is None}
            mechanism = plain(vocabulary, **{**row.fixed, **defaults, **options, **meant})
            parameters = {key: value for key, value in mechanism.parameters.items() if key not in row.unreported}
            return replace(mechanism, name=row.name, parameters=parameters)

        types = get_type_hints(plain, include_extras=True)
        types |= {key: Annotated[get_args(types[key])[0], option] for key, option in self.declared.items()}
        parameters = [
            parameter.replace(
                annotation=types[parameter.name], default=self.defaults.get(parameter.name, parameter.default)
            )
            for parameter in inspect.signature(plain).parameters.values()
            if parameter.name not in self.fixed and not parameter.name.startswith("_")
        ]
        defaults = {
            parameter.name: parameter.default for parameter in parameters if parameter.default is not parameter.empty
        }
        make.__name__ = make.__qualname__ = self.name.replace("-", "_")
        make.__doc__ = self.about
        make.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {
            "return": types["return"]
        }
        make.__signature__ = inspect.Signature(parameters, return_annotation=types["return"])  # type: ignore[attr-defined]
        facts = {key: getattr(entry, key) for key in ("family", "notion", "status", "proof", "adjacency", "needs")}
        return declared(**{**facts, "source": self.source, "summary": self.summary, **self.facts})(make)


_CMP: Final = "Feyisetan, Balle, Drake and Diethe 2020, algorithm 1"

PRESETS: Final = (
    Preset(
        name="cmp",
        of="additive.spherical_laplace:spherical_laplace",
        fixed={"rank_constant": None, "projection": None},
        defaults={"clip": None},
        source=_CMP,
        summary="As spherical-laplace, on the vectors as they are: calibrated multivariate perturbations.",
        about="""``spherical_laplace`` as its paper has it: vectors are not clipped, and the search is exact.

        The paper's epsilon is ``epsilon_per_distance``: its numbers hold for its own vectors alone. With ``epsilon``
        the rate is epsilon divided by the exact L2 diameter.
        """,
    ),
    Preset(
        name="cmp-approximate",
        of="additive.spherical_laplace:spherical_laplace",
        fixed={"rank_constant": None, "projection": "approximate-forest"},
        defaults={"clip": None},
        source=f"{_CMP}; search by random-projection trees, as its public code has it",
        summary="CMP with approximate search: the guarantee is the same, the distribution of the output is another.",
        about="""``cmp`` with the nearest word searched in a fixed forest of random-projection trees, as Annoy has them.

        Annoy is what the mechanism's public code searches with. The search is a function of the noisy vector and of
        public trees, so the guarantee stays; how far the outputs are from those of exact search: Carpentier et al. 2024
        (arXiv 2411.11521), section 4. Audits that compute the output's distribution refuse it.
        """,
    ),
    Preset(
        name="gaussian-classical",
        of="additive.gaussian:gaussian",
        fixed={"calibration": "classical"},
        defaults={"epsilon": 1.0},
        declared={
            "epsilon": Option(
                replace(
                    interval("in (0, 1]", 0, 1, without=(0,)),
                    hint="Above 1 the classical formula is not proved. Use gaussian: it holds at any epsilon and adds "
                    "less noise.",
                ),
                "Privacy loss in nats of one token, for any two words; at most 1.",
                "E",
                GUARANTEE,
            )
        },
        unreported=("calibration",),
        source="Dwork and Roth 2014, theorem A.1",
        summary="Gaussian noise by the classical formula, for epsilon at most 1, then the nearest word.",
        about="""Noise N(0, sigma^2 I), sigma = D sqrt(2 ln(1.25 / delta)) / epsilon for the exact L2 diameter D.

        A baseline of the literature: ``gaussian`` adds less noise for the same guarantee.
        """,
    ),
    Preset(
        name="cape",
        of="vectors.dpnr:dpnr",
        fixed={"dropout": 0.0},
        unreported=("dropout", "epsilon_of_one_word"),
        source="Plant, Gkatzia and Giuffrida 2021 (EMNLP); sensitivity: textveil_lab/proofs/noisy_vectors.md",
        summary="The mean vector of a text on [0, 1], with fresh noise of scale k / epsilon on each of its k numbers.",
        about="""The vector on [0, 1]^k plus fresh noise on every number.

        The paper maps vectors to [0, 1] by the smallest and the largest number of a batch, which tells of other texts;
        here the two ends are public. What it learns against an adversary that guesses an attribute is trained on what
        is released: it adds nothing to the guarantee and takes nothing from it. Without a delta the noise is Laplace's,
        with one Gaussian, calibrated analytically.
        """,
    ),
    Preset(
        name="dp-paraphrase",
        of="generation.dp_prompt:dp_prompt",
        fixed={"_causal": True},
        defaults={"tokens": 50},
        unset={"prompt": "{text} >>>>> "},
        source="Mattern, Weggenmann and Kerschbaum 2022 (arXiv 2205.02130)",
        summary="Paraphrases a document by a causal model that learned to, each token from clipped logits.",
        facts={"needs": "a causal model on disk (extra transformers)"},
        about="""DP-Paraphrase over a causal model like GPT-2 that learned to paraphrase; see ``PromptedWriting``.

        The law and the guarantee are those of ``dp-prompt``; the prompt is the document and a mark, as in public code
        for the model that the paper fine-tuned. How many tokens the paper draws could not be read: 50 is this package's
        default.

        Exactly one of ``epsilon``, which the tokens share, ``epsilon_per_token`` and ``temperature`` is given. The
        vocabulary is not used: what is drawn are the model's tokens.

        Raises:
            MissingExtra: torch or transformers is not installed.
            ModelError: no such model in the folder.
            ParameterError: an option is outside its domain, or the model has no room for so many tokens.
        """,
    ),
    Preset(
        name="adept",
        of="document.dp_rewrite:dp_rewrite",
        fixed={"delta": None, "clipping_norm": "l2", "dp_mechanism": "laplace"},
        unreported=("clipping_norm", "dp_mechanism"),
        source="Krishna, Gupta and Dupuy 2021 (EACL); sensitivity: Habernal 2021 (EMNLP), corollary 3.4",
        summary="Writes a text of an auto-encoder's L2-clipped code with Laplace noise, by the corrected sensitivity.",
        facts={"notion": "pure DP"},
        about="""Laplace noise of scale 2C sqrt(n) / epsilon on a code of n coordinates, clipped to the L2 norm C.

        ``dp-rewrite`` has the other clippings and noises.

        The vocabulary is not used: the network has its own words.

        Raises:
            ParameterError: an option is outside its domain.
            MissingExtra: torch or safetensors is not installed.
            ModelError: the folder holds no network with its words.
        """,
    ),
)

_ROWS: Final = {row.name.replace("-", "_"): row for row in PRESETS}


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _ROWS:
        raise AttributeError(f"module {__name__} has no attribute {name!r}")
    globals()[name] = maker = _ROWS[name].maker()
    return maker
