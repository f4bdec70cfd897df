"""Arguments that several commands of the lab share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from textveil.cli.options import MECHANISM, SampleOptions, files_of, inputs_of, option, parts_of
from textveil.errors import InputError, ParameterError

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Mechanism
    from textveil.types import Progress
    from textveil.vocabulary.vocabulary import Vocabulary
    from textveil_lab.rebuild import ReleaseReport


MechanismOrNone: TypeAlias = Annotated[str | None, MECHANISM]
ReportPath: TypeAlias = Annotated[Path, option("R.json", "The report of the release.")]
PriorPath: TypeAlias = Annotated[
    Path | None, option("FILE", "The file of word counts that the release was drawn with, if it was.")
]
ModelPath: TypeAlias = Annotated[
    Path | None,
    option(
        "PATH", "Folder of a causal or masked Hugging Face model, or file of n-grams, in place of the embedded model."
    ),
]


def labelled(
    formats: SampleOptions, source: str, label: str | None, progress: Progress
) -> tuple[list[str], list[str] | None]:
    """Read the documents of a file with their labels, None without ``label``; skip documents without text."""
    from textveil.corpora.inputs import released_blocks

    choice = formats.choice() if label is None else formats.choice(label)
    inputs = inputs_of(files_of([source]), choice)
    texts, labels = [], []
    for block in released_blocks(choice.reader(inputs), inputs, progress):
        classes = block.records.beside.get(label or "", [""] * len(block.records.texts))
        for number, (parts, name) in enumerate(zip(block.records.texts, classes, strict=True), start=block.first):
            if name is None:
                raise InputError(f"record {number} must have a label; got null. Leave such records out.")
            if parts and parts[0].strip():
                texts.append(parts[0])
                labels.append(name)
    return texts, None if label is None else labels


def rebuilt_mechanism(report: ReleaseReport, vocabulary: Vocabulary, prior: Path | None) -> Mechanism:
    """Return the mechanism of a release from its report, under a progress bar, since it may take a minute."""
    from textveil.cli.progress import counting
    from textveil_lab.rebuild import rebuilt

    with counting("making the mechanism", "words") as progress:
        return rebuilt(report, vocabulary, prior=None if prior is None else str(prior), progress=progress)


def numbers_in(text: str, option: str) -> list[float]:
    """Return the numbers of a list with commas; errors name the option."""
    try:
        return [float(part) for part in parts_of(text)]
    except ValueError:
        raise ParameterError(f"{option} must be numbers separated by commas; got others. Write 3,5,8.") from None


def cells_beside(output: Path) -> Path:
    """Return the folder of a run's cells, beside that of its results: results appear at once, cells one by one."""
    target = output.absolute()
    return target.with_name(f"{target.name}.cells")
