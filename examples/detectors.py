"""Detectors of other packages in one policy: run with ``python examples/detectors.py`` (needs ``presidio``, ``spacy``).

No model is downloaded. The spaCy pipeline is made here; take one that is installed or in a folder instead.
"""

import tempfile
from pathlib import Path
from typing import Any

import textveil as tv
from textveil.detection.presidio import presidio_detector
from textveil.detection.spacy import load_spacy, spacy_detector
from textveil.detection.spans import Detector

TEXT = "Maria Gonzalez of Acme Rockets (IP 10.0.0.1) took p53 on 3/4/2012."


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        nlp = load_spacy().blank("en")
        ruler: Any = nlp.add_pipe("entity_ruler")
        ruler.add_patterns([{"label": "ORG", "pattern": "Acme Rockets"}, {"label": "GENE", "pattern": "p53"}])
        nlp.to_disk(Path(folder) / "rules")
        rules = spacy_detector(Path(folder) / "rules", labels={"GENE": None})  # genes stay in the text
    detectors: list[str | Detector] = ["embedded", rules, presidio_detector()]
    for span in tv.detect(TEXT, detectors):
        print(f"{span.kind:13} {TEXT[span.start : span.end]:16} {span.score:.2f}  {span.detector}")
    print(tv.Sanitizer(tv.policy("identifiers", detectors=detectors))(TEXT).text)


if __name__ == "__main__":
    main()
