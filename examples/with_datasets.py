"""A Hugging Face dataset, released: run with ``python examples/with_datasets.py`` (needs the extra ``datasets``)."""

import textveil as tv
from textveil.integrations.datasets import dataset_sanitizer, sanitize_dataset

# isort: split
from datasets import Dataset, disable_progress_bars


def main() -> None:
    disable_progress_bars()
    notes = Dataset.from_dict(
        {
            "note": ["Maria came on Monday with 2 cats.", None, "She will call again tomorrow."] * 20,
            "label": [0, 1, 1] * 20,
            "name": ["Maria Gonzalez", "John Smith", "Ann Lee"] * 20,
        }
    )
    sanitizer = tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8))
    released, report = sanitize_dataset(notes, sanitizer, ["note"], keep=["label"], num_proc=2)
    print(released[:3])
    print(report.summary())

    release = dataset_sanitizer(sanitizer, ["note"])
    mapped = notes.map(release, batched=True, with_indices=True, remove_columns=["name"])
    again = notes.map(release, batched=True, with_indices=True, remove_columns=["name"])
    print("mapped twice, released once:", mapped["note"][:] == again["note"][:])
    print(release.report(mapped, ["label"]).tally.kinds["word"], "words were drawn")


if __name__ == "__main__":
    main()
