"""What the page shows without anybody's text: public sentences at an epsilon, and the figure of recovery.

The sentences are written here, and no request brings another: what is drawn of them says nothing about anybody, and
costs no budget.
"""

import threading
from functools import cache
from typing import Any, Final

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.sanitize.explanation import explain
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import stored_table

POLICY: Final = "all-words"
"""The policy of the examples: every word is drawn, at the epsilon that is asked for."""

EXAMPLES: Final = (
    "Maria has been in therapy since the divorce and takes two pills every morning.",
    "The patient was diagnosed with lung cancer in March and lost her job in May.",
    "Please do not tell my boss that I am looking for another job in Berlin.",
)
"""Public: they come with the package, and speak of nobody."""

WORD: Final = "cancer"
"""The word whose law is shown."""

_OUTCOMES: Final = 6

SAMPLE: Final = """Dear Dr. Okafor,

Maria Gonzalez (born 4 May 1981, record 4471-220) was seen at St. Anne's Hospital in Portland on 3 March 2024.
She has had chest pain since January and takes 20 mg of lisinopril. Her brother Tomas died of a heart attack at 55.
Please call her at 503-555-0142 or write to maria.gonzalez@example.org; she pays $180 a month for her plan.

Kind regards,
Ana Petrov"""
"""A letter about nobody, for whoever wants to try the page."""


class PublicExamples:
    """Releases of public sentences, by epsilon; a sanitizer of each is made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[float, tuple[Sanitizer, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def drawn(self, epsilon: float) -> dict[str, Any]:
        """Fresh draws of the sentences, and what one word becomes.

        Args:
            epsilon: nats of one word, one of those at which recovery was measured.

        Raises:
            ParameterError: it is another.
        """
        known = [row["epsilon"] for row in recovery()["rows"]]
        if epsilon not in known:
            shown = ", ".join(f"{epsilon:g}" for epsilon in known)
            error = ParameterError(f"epsilon must be one of {shown}; got another. Recovery was measured at these.")
            error.parameter = "epsilon"
            raise error
        with self._lock:
            if epsilon not in self._made:
                self._made[epsilon] = _at(epsilon)
            sanitizer, word = self._made[epsilon]
        releases = sanitizer.batch(EXAMPLES, spans=False, maps=False)
        return {
            "epsilon": epsilon,
            "examples": [
                {"text": text, "released": release.text} for text, release in zip(EXAMPLES, releases, strict=True)
            ],
            "words": [word],
        }


def _at(epsilon: float) -> tuple[Sanitizer, dict[str, Any]]:
    sanitizer = Sanitizer(policy(POLICY, epsilon=epsilon))
    mechanism = sanitizer.mechanism
    if mechanism is None:
        raise UnsupportedGuarantee(f"the policy {POLICY} must draw words; it does not.")
    law = explain(mechanism, WORD, top=_OUTCOMES).to_data()
    outcomes = [{"word": output["word"], "probability": output["estimate"]} for output in law["outputs"]]
    return sanitizer, {"word": law["word"], "outcomes": outcomes}


@cache
def recovery() -> dict[str, Any]:
    """What a decoder recovered of public texts under the policy of the examples, by epsilon.

    Each row has for all words, content words and names the smallest and the largest share over the texts.
    """
    chosen = policy(POLICY)
    own = next(rule.epsilon for rule in chosen.rules if rule.kind == "word")
    rows = []
    model: str = ""
    texts: list[str] = []
    for epsilon in sorted({float(row["epsilon"]) for row in stored_table()["rows"]}):
        quoted = Sanitizer(policy(POLICY, epsilon=epsilon)).setting.recovery
        if quoted is None or quoted["epsilon"] != epsilon:
            continue
        model, texts = quoted["model"], list(quoted["texts"])
        estimates = [[kind["in_context"]["estimate"] for kind in text["kinds"]] for text in quoted["texts"].values()]
        rows.append(
            {"epsilon": epsilon, "shares": [{"low": min(of), "high": max(of)} for of in zip(*estimates, strict=True)]}
        )
    return {"epsilon": own, "model": model, "texts": texts, "rows": rows}
