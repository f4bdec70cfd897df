"""What a job has paid for, remembered in its folder until the job is done: one that goes on does not pay again."""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from textveil.corpora.jobs.folder import JobFolder
from textveil.json_text import json_file


@dataclass(frozen=True, slots=True)
class JobReceipt:
    """The numbers of reservations, in the job's folder.

    Attributes:
        paid_for: digest, under the job's secret, of all that was paid for: of anything else nothing is remembered.
    """

    folder: JobFolder
    paid_for: str

    def numbers(self) -> list[int] | None:
        """The numbers by which just this was paid for; None if it was not."""
        paid_for, numbers = self._noted()
        return numbers if paid_for == self.paid_for else None

    def is_for_another(self) -> bool:
        """Return whether something else was paid for; a note that is not whole is of a run that drew nothing."""
        return self._noted()[0] not in (None, self.paid_for)

    def _noted(self) -> tuple[str | None, list[int]]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            data = json_file(self.folder.paid)
            return str(data["paid_for"]), [int(number) for number in data["numbers"]]
        return None, []

    def keep(self, numbers: Sequence[int]) -> None:
        """Note the numbers; where that fails, a job that goes on pays again."""
        data = {"paid_for": self.paid_for, "numbers": list(numbers)}
        with contextlib.suppress(OSError), self.folder.written_anew(self.folder.paid) as stream:
            stream.write(json.dumps(data).encode("ascii"))

    def forget(self) -> None:
        """Forget them: they are taken back."""
        self.folder.paid.unlink(missing_ok=True)
