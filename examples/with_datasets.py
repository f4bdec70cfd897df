"""A Hugging Face dataset, released: run with ``python examples/with_datasets.py`` (needs the extra ``datasets``)."""

import textveil as tv
from textveil.integrations.datasets import dataset_sanitizer, sanitize_dataset

# isort: split
from datasets import Dataset, disable_progress_bars


def main() -> None:
    disable_progress_bars()
    notes = Dataset.from_dict(
        {
            "note": ["Maria Gonzalez came on Monday.", None, "Call Ann Lee at 212-555-0142 tomorrow."] * 20,
            "label": [0, 1, 1] * 20,
            "name": ["Maria Gonzalez", "John Smith", "Ann Lee"] * 20,
        }
    )
    # Detected names, numbers and the like are drawn; all other text stays.
    policy = tv.policy("identifiers")
    released, report = sanitize_dataset(notes, policy, ["note"], keep=["label"], num_proc=2)
    print(released[:3])
    print(report.summary())

    # Every word is drawn, by a function that `map` calls.
    release = dataset_sanitizer(tv.mechanism("neighborhood", epsilon=8), ["note"])
    mapped = notes.map(release, batched=True, with_indices=True, remove_columns=["name"])
    again = notes.map(release, batched=True, with_indices=True, remove_columns=["name"])
    print(mapped[:3])
    print("mapped twice, released once:", mapped["note"][:] == again["note"][:])
    print(release.report(mapped, ["label"]).summary())


if __name__ == "__main__":
    main()
