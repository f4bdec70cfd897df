"""A column of a pandas frame, released: run with ``python examples/with_pandas.py`` (needs the extra ``pandas``)."""

import textveil as tv
import textveil.integrations.pandas  # gives series and frames the accessor

# isort: split
import pandas as pd


def main() -> None:
    notes = pd.DataFrame(
        {
            "note": ["Maria came on Monday with 2 cats.", None, "She will call again tomorrow."],
            "ward": ["east", "east", "west"],
            "name": ["Maria Gonzalez", "John Smith", "Ann Lee"],
        },
        index=["a7", "a8", "b1"],
    )
    sanitizer = tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8))
    released, report = notes.textveil.sanitize(sanitizer, ["note"], keep=["ward"])
    print(released)
    print(report.summary())


if __name__ == "__main__":
    main()
