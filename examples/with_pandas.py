"""Columns of a pandas frame, released: run with ``python examples/with_pandas.py`` (needs the extra ``pandas``)."""

import textveil as tv
import textveil.integrations.pandas  # gives series and frames the accessor

# isort: split
import pandas as pd


def main() -> None:
    notes = pd.DataFrame(
        {
            "note": ["Maria Gonzalez came on Monday with 2 cats.", None, "Call Ann Lee at 212-555-0142 tomorrow."],
            "plan": ["Write to Maria Gonzalez.", None, None],
            "ward": ["east", "east", "west"],
            "name": ["Maria Gonzalez", "John Smith", "Ann Lee"],
        },
        index=["a7", "a8", "b1"],
    )
    # Detected names, numbers and the like are drawn, one value of a row alike; all other text stays.
    released, report = notes.textveil.sanitize(tv.Sanitizer(tv.policy("identifiers")), ["note", "plan"], keep=["ward"])
    print(released.to_string())
    print(report.summary())
    # Every word is drawn.
    texts, report = notes["note"].textveil.sanitize(tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8)))
    print(texts.to_string())
    print(report.summary())


if __name__ == "__main__":
    main()
