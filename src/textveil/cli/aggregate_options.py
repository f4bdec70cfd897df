"""Options that the commands about a whole corpus share: ``count``, ``learn``, ``synthesize``, ``topics``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from textveil.cli import options as opt
from textveil.cli.help_groups import PERSONS
from textveil.mechanisms.options import GUARANTEE

if TYPE_CHECKING:
    from textveil.aggregates.records import PersonalRecords
    from textveil.corpora.payment import Payer

Corpus: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files or patterns; - is standard input.")
]
Labels: TypeAlias = Annotated[
    str, opt.option("A,B,...", "All labels that there can be, where they are public. Else they are selected.")
]


@dataclass(frozen=True, kw_only=True)
class AggregateOptions:
    """Whose records these are, and what the release may cost."""

    unit: Annotated[
        str,
        opt.option(
            "F", "Field that names the person whose a record is; `document`: each record is a unit.", PERSONS, "--unit"
        ),
    ]
    epsilon: Annotated[float, opt.option("E", "Nats, for all that one person wrote.", GUARANTEE, "--epsilon")]
    delta: Annotated[
        float,
        opt.option(
            "D", "Chance at which epsilon does not hold; far below 1 / number of persons.", GUARANTEE, "--delta"
        ),
    ]
    records_per_person: Annotated[
        int | None, opt.option("N", "The first N records of each person count.  [default: all]", PERSONS)
    ] = None
    field: Annotated[str | None, opt.fields("field with the text.  [default: text]")] = None
    corpus_format: opt.FormatName = None
    delimiter: opt.Delimiter = None
    ledger: opt.LedgerOrNone = None
    tenant: opt.Tenant = "local"

    def records(self, sources: list[str], label: str | None = None) -> PersonalRecords:
        """The records of the inputs, with their labels where a column of them is named.

        Raises:
            InputError: there is no such input.
            ParameterError: an option does not fit the format.
        """
        from textveil.aggregates.records import PersonalRecords
        from textveil.corpora.formats.choice import FormatChoice

        choice = FormatChoice(
            corpus_format=self.corpus_format,
            sanitized=() if self.field is None else (self.field,),
            delimiter=self.delimiter,
        )
        return PersonalRecords(
            inputs=opt.inputs_of(sources, choice),
            unit=self.unit,
            text=self.field,
            label=label,
            limit=self.records_per_person,
            corpus_format=self.corpus_format,
            delimiter=self.delimiter,
        )

    def payer(self) -> Payer | None:
        """Whose budget it is taken from."""
        if self.ledger is None:
            return None
        from textveil.budget.database import url_of
        from textveil.corpora.payment import Payer

        url_of(self.ledger)
        return Payer(self.ledger, self.tenant)
