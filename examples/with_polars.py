"""A lazy Polars query that releases a column: ``python examples/with_polars.py`` (needs the extra ``polars``)."""

import polars as pl

import textveil as tv
from textveil.integrations.polars import ColumnSanitizer


def main() -> None:
    notes = pl.LazyFrame(
        {
            "note": ["Maria came on Monday with 2 cats.", None, "She will call again tomorrow."],
            "ward": ["east", "east", "west"],
        }
    )
    columns = ColumnSanitizer(tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8)))
    query = notes.select(pl.col("note").textveil.sanitize(columns), "ward")
    print(query.collect())
    print(columns.report(["note"], ["ward"]).summary())
    query.collect()
    print("collected twice, released twice:", columns.report().tally.kinds["word"], "words were drawn")


if __name__ == "__main__":
    main()
