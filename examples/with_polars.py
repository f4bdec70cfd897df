"""A lazy Polars query that releases a column: ``python examples/with_polars.py`` (needs the extra ``polars``)."""

import polars as pl

import textveil as tv
from textveil.integrations.polars import ColumnSanitizer


def main() -> None:
    notes = pl.LazyFrame(
        {
            "note": ["Maria Gonzalez came on Monday with 2 cats.", None, "Call Ann Lee at 212-555-0142 tomorrow."],
            "ward": ["east", "east", "west"],
        }
    )
    for made_of in (tv.policy("identifiers"), tv.mechanism("neighborhood", epsilon=8)):
        columns = ColumnSanitizer(tv.Sanitizer(made_of))
        query = notes.select(pl.col("note").textveil.sanitize(columns), "ward")
        print(query.collect())
        print(columns.report(["note"], ["ward"]).summary())
        query.collect()
        print(f"collected twice, released twice: {columns.report().tally.documents} documents of 2 texts\n")


if __name__ == "__main__":
    main()
