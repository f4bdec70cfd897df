"""Presidio and textveil, each in the other: run ``python examples/with_presidio.py`` (needs the extra ``presidio``)."""

import textveil as tv
from textveil.detection.presidio import analyzer_engine, presidio_detector
from textveil.integrations.presidio import Veil, anonymizer_engine, deanonymizer_engine
from textveil.integrations.presidio_recognizer import TextveilRecognizer

# isort: split
from presidio_anonymizer.entities import OperatorConfig

TEXT = "Maria Gonzalez (card 4151 3217 6243 3448) wrote from maria@example.org; call Gonzalez at 212-555-0142."


def main() -> None:
    # textveil's detector in Presidio's analyzer: names without a model, beside Presidio's patterns.
    analyzer = analyzer_engine()
    analyzer.registry.add_recognizer(TextveilRecognizer())
    found = analyzer.analyze(TEXT, "en")

    # textveil's surrogates in the place of Presidio's operators, and the text back as it was.
    veil = Veil("identifiers")
    released = veil.anonymize(TEXT, found)
    print(released.text)
    assert veil.deanonymize(released.text) == TEXT
    print(veil.costs["person"]["guarantee"]["text"], "for a name; public:", *veil.costs["person"]["public"], sep="\n  ")

    # Beside an operator of Presidio's.
    mixed = Veil("identifiers")
    operators = {**mixed.operators(), "EMAIL_ADDRESS": OperatorConfig("redact")}
    released = anonymizer_engine().anonymize(TEXT, mixed.prepared(TEXT, found), operators)
    print(released.text)
    print(deanonymizer_engine().deanonymize(released.text, released.items, mixed.restorers()).text)

    # Presidio's patterns as a detector of a textveil policy.
    policy = tv.policy("identifiers", detectors=["embedded", presidio_detector()])
    print(tv.Sanitizer(policy)(TEXT).text)


if __name__ == "__main__":
    main()
