"""A component that releases documents: run with ``python examples/with_spacy.py`` (needs the extra ``spacy``)."""

from typing import Any

import textveil as tv
import textveil.integrations.spacy  # an installed textveil tells spaCy by an entry point

# isort: split
import spacy


def main() -> None:
    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "ORG", "pattern": "Acme Rockets"}])
    # What other components found is drawn too.
    nlp.add_pipe("textveil", config={"policy": "identifiers", "entities": True})

    texts = ["Maria Gonzalez joined Acme Rockets on 3 May 2020.", "Call Ann Lee at 212-555-0142."]
    for doc in nlp.pipe(texts):
        released = doc._.textveil
        print(released.text)
        assert released.private_map is not None
        assert tv.restore(released.text, released.private_map) == doc.text


if __name__ == "__main__":
    main()
