"""Options that several commands share, spelled once; those of mechanisms are in ``mechanism_options``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from textveil.cli.help_groups import BUDGET, FORMATS, TRIALS, VOCABULARY
from textveil.errors import ParameterError
from textveil.mechanisms.options import GUARANTEE

if TYPE_CHECKING:
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.vocabulary.vocabulary import Vocabulary

_MECHANISM = typer.Option(
    "--mechanism", "-m", metavar="NAME", help="A name from: textveil mechanisms.", rich_help_panel=GUARANTEE
)
MechanismName: TypeAlias = Annotated[str, _MECHANISM]
MechanismOrNone: TypeAlias = Annotated[str | None, _MECHANISM]
VocabularyPath: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--vocabulary",
        metavar="PATH",
        rich_help_panel=VOCABULARY,
        help="Word vectors to use instead of the embedded ones.",
    ),
]
VocabularyFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", rich_help_panel=VOCABULARY, help="word2vec, word2vec-binary, glove, fasttext, npy, safetensors."
    ),
]
VocabularyLimit: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="N", rich_help_panel=VOCABULARY, help="Read only the first N words of --vocabulary."),
]
Sources: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[INPUT]...", help="Files or patterns; - is standard input.  [default: -]"),
]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="OUT", help="Output file.  [default: standard output]")
]
FormatName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="txt, jsonl, json, csv, tsv or parquet.  [default: by INPUT's ending]",
        rich_help_panel=FORMATS,
    ),
]
OutputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--output-format",
        metavar="NAME",
        help="Another format of records for the output.  [default: by OUT's ending, else as INPUT]",
        rich_help_panel=FORMATS,
    ),
]
WholeFile: TypeAlias = Annotated[
    bool, typer.Option("--whole-file", help="For txt: one document instead of one a line.", rich_help_panel=FORMATS)
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="C", help="For csv: between fields, as ; or \\t.", rich_help_panel=FORMATS),
]


_LEDGER = typer.Option(
    "--ledger",
    metavar="URL|FILE",
    help="Take what it costs from this ledger of budgets, before anything is drawn; exit code 3 where it does not "
    "reach.",
    rich_help_panel=BUDGET,
)
LedgerOrNone: TypeAlias = Annotated[str | None, _LEDGER]
Tenant: TypeAlias = Annotated[
    str, typer.Option("--tenant", metavar="T", help="Whose ledger it is.", rich_help_panel=BUDGET)
]


def fields(about: str, group: str | None = FORMATS) -> Any:
    """An option that names fields of records, in a group of help; None is the first one."""
    return typer.Option(metavar="F", help=f"For records: {about}", rich_help_panel=group)


Seed: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Repeatable draws, for experiments; the result is stamped not for release.",
        rich_help_panel=TRIALS,
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def load(path: Path | None, vocabulary_format: str | None, limit: int | None) -> Vocabulary:
    """The embedded vocabulary, or the one at ``path``."""
    from textveil.cli.progress import counting
    from textveil.vocabulary.embedded import load_vocabulary

    if path is None:
        if vocabulary_format is not None or limit is not None:
            raise ParameterError("--vocabulary-format and --vocabulary-limit need --vocabulary; got none.")
        return load_vocabulary()
    with counting("reading vectors") as progress:
        return load_vocabulary(path, format=vocabulary_format, limit=limit, progress=progress)


def inputs_of(patterns: list[str], choice: FormatChoice) -> tuple[str, ...]:
    """The inputs behind names and patterns, after what can be told of their format was checked.

    Args:
        patterns: as they stand on the command line; a second name behind ``--field`` is taken for one of them.
        choice: of their format.

    Raises:
        InputError: as ``sources.expanded``.
        ParameterError: as ``FormatChoice.reader``.
    """
    from textveil.corpora.files.sources import expanded
    from textveil.errors import InputError

    try:
        choice.reader(patterns)
        return tuple(expanded(patterns))
    except (InputError, ParameterError) as error:
        strays = [one for one in patterns[1:] if not Path(one).suffix and not Path(one).exists()]
        if strays and (choice.sanitized or choice.kept):
            error.args = (f"{error} To name several fields, repeat the option: --field A --field B.",)
        raise


def parts_of(given: str) -> list[str]:
    """The parts of a list with commas."""
    return [one.strip() for one in given.split(",") if one.strip()]


def numbers_in(given: str, option: str) -> list[float]:
    """The numbers of a list with commas.

    Raises:
        ParameterError: one is none; names the option.
    """
    try:
        return [float(one) for one in parts_of(given)]
    except ValueError:
        raise ParameterError(f"{option} must be numbers separated by commas; got others. Write 3,5,8.") from None


def cells_beside(output: Path) -> Path:
    """The folder of cells of a run, next to that of its results: these appear together, cells one by one."""
    target = output.absolute()
    return target.with_name(f"{target.name}.cells")
