"""A classifier that sees only releases: ``python examples/with_scikit_learn.py`` (needs the extra ``learn``)."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import textveil as tv
from textveil.integrations.scikit_learn import TextSanitizer

TEXTS = [
    "Anna Berg scored in the last minute of the match.",
    "The bank raised its forecast for interest rates.",
    "The goalkeeper saved a penalty and the team won.",
    "Shares fell after the company cut its dividend.",
] * 25
LABELS = ["sport", "money", "sport", "money"] * 25


def main() -> None:
    for made_of in (tv.policy("identifiers"), tv.mechanism("neighborhood", epsilon=8)):
        sanitize = TextSanitizer(tv.Sanitizer(made_of))
        model = make_pipeline(sanitize, TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
        print(sanitize.columns_.report(["text"]).summary())
        print(model[1:].predict(["They won the match.", "The bank cut its rates."]), end="\n\n")


if __name__ == "__main__":
    main()
