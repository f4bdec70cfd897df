"""Documents of a file with the class of each, for the commands that learn from releases."""

from __future__ import annotations

from textveil.cli import options as opt
from textveil.errors import InputError
from textveil.types import Progress


def labelled_texts(
    source: str,
    field: str | None,
    label: str | None,
    corpus_format: str | None,
    delimiter: str | None,
    progress: Progress,
) -> tuple[list[str], list[str] | None]:
    """The documents of a file with their labels, None without ``label``; documents without text are left out.

    Args:
        source: a file of text, or of records.
        field: of records: the text.
        label: of records: the class.
        corpus_format: of the file; None tells by its ending.
        delimiter: of csv.
        progress: called as bytes are read.

    Raises:
        InputError: the file cannot be read, or a record has no label (by number).
    """
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.texts import released_blocks

    choice = FormatChoice(
        corpus_format=corpus_format,
        sanitized=() if field is None else (field,),
        read=() if label is None else (label,),
        delimiter=delimiter,
    )
    inputs = opt.inputs_of([source], choice)
    texts, labels = [], []
    for block in released_blocks(choice.reader(inputs), inputs, progress):
        classes = block.records.beside.get(label or "", [""] * len(block.records.texts))
        for number, (parts, one) in enumerate(zip(block.records.texts, classes, strict=True), start=block.first):
            if one is None:
                raise InputError(f"record {number} must have a label; got null. Leave such records out.")
            if parts and parts[0].strip():
                texts.append(parts[0])
                labels.append(one)
    return texts, None if label is None else labels
