"""A request for a release about a corpus: whose records, under which epsilon and delta, who pays, and what draws."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Final, Protocol

import numpy as np

from textveil.aggregates.records import Batch
from textveil.corpora.payment import Payer
from textveil.errors import ParameterError
from textveil.mechanisms.options import GUARANTEE, Option
from textveil.privacy.units import Adjacency
from textveil.types import Progress
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

_NO_LABEL: Final = ""
_DELTA: Final = "Chance at which epsilon does not hold; far below 1 / number of persons."
_LABELS: Final = "All labels that there can be, where they are public. Else they are selected."


class Records(Protocol):
    """Records by person, as ``PersonalRecords`` reads them; most releases read them twice."""

    @property
    def adjacency(self) -> Adjacency:
        """What a release of them compares."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the persons whose records were read."""

    @property
    def limit(self) -> int | None:
        """Maximum number of records of one person that count."""

    @property
    def labelled(self) -> bool:
        """Whether they have labels."""

    @property
    def digest(self) -> bytes:
        """``records.digested`` of all of them, once they have been read."""

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """The records."""


@dataclass(frozen=True)
class CorpusRequest:
    """Everything that all releases about a corpus ask for; made once, by a command or a caller.

    Attributes:
        epsilon: nats, for all that one person wrote; > 0.
        delta: in (0, 1); far below 1 / number of persons.
        labels: all labels that there can be, if they are public: records with others do not count. Empty: the release
            selects labels that many persons use, for a part of the budget.
        vocabulary: public words and vectors; None: the embedded ones.
        payer: whose ledger pays, each person once, before anything is drawn.
        rng: None: the operating system's randomness; anything else stamps the release not for release.
        progress: called with bytes read and in all.
        pool_progress: called with public texts read and in all.

    Raises:
        ParameterError: a label is given twice, or the records have none.
    """

    records: Records
    _: KW_ONLY
    epsilon: Annotated[float, Option(help="Nats, for all that one person wrote.", metavar="E", group=GUARANTEE)]
    delta: Annotated[float, Option(help=_DELTA, metavar="D", group=GUARANTEE)]
    labels: Annotated[Sequence[str], Option(help=_LABELS, metavar="A,B,...")] = ()
    vocabulary: Vocabulary | None = None
    payer: Payer | None = None
    rng: np.random.Generator | None = field(default=None, repr=False)
    progress: Progress | None = None
    pool_progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.labels and not self.records.labelled:
            raise ParameterError("`labels` needs `label`; got none.")
        if len(set(self.labels)) != len(self.labels):
            raise ParameterError("`labels` must be different; got one twice.")

    @property
    def public_labels(self) -> tuple[str, ...]:
        """The labels that are public: of records without labels, the one that all of them get."""
        return tuple(self.labels) if self.records.labelled else (_NO_LABEL,)

    @property
    def words(self) -> Vocabulary:
        """The public words and vectors."""
        return load_vocabulary() if self.vocabulary is None else self.vocabulary

    def batches(self) -> Iterator[Batch]:
        """Read the records, each with a label."""
        for batch in self.records.batches(self.progress):
            yield batch if self.records.labelled else batch._replace(labels=[_NO_LABEL] * len(batch.texts))
