"""The environment variables that something of textveil reads, each by a name that is declared here and nowhere else.

Beside these, every field of the server's configuration is one: ``server.config``.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Final

from textveil.errors import UnknownNameError

PREFIX: Final = "TEXTVEIL_"  # with what all of them begin
CACHE: Final = f"{PREFIX}CACHE"  # another folder for public tables
ENDPOINT_KEY: Final = f"{PREFIX}ENDPOINT_KEY"  # the key of a language model's service that rewrites releases
KEY: Final = f"{PREFIX}KEY"  # a client's API key, in the examples of docs/gateway.md; a server does not read it
KILLS: Final = f"{PREFIX}KILLS"  # how many processes the tests of the ledger kill
LANGUAGE: Final = f"{PREFIX}LANGUAGE"  # the language of messages and of the report to file
LEDGER_KEY: Final = f"{PREFIX}LEDGER_KEY"  # the key of a ledger
LEDGER_KEY_FILE: Final = f"{PREFIX}LEDGER_KEY_FILE"
"""The file with the key of a ledger, in another place than beside its database."""

SHARED: Final = f"{PREFIX}SHARED"  # a folder with public vectors and corpora, for studies and tests
TRACEBACK: Final = f"{PREFIX}TRACEBACK"  # whether an error of textveil's own is printed whole
VARIABLES: Final = frozenset(
    (CACHE, ENDPOINT_KEY, KEY, KILLS, LANGUAGE, LEDGER_KEY, LEDGER_KEY_FILE, SHARED, TRACEBACK)
)
"""All of them."""


def refuse_unread_variables(names: Iterable[str], fields: Collection[str]) -> None:
    """Refuse a variable with textveil's prefix that nothing of textveil reads: it may be a limit that is mistyped.

    ``names``: of the environment; ``fields``: variables that are read beside ``VARIABLES``. Raises UnknownNameError:
    names the variable, without its value, and the one that it is nearest to.
    """
    known = VARIABLES | set(fields)
    for name in sorted(names):
        if name.upper().startswith(PREFIX) and name not in known:
            near = get_close_matches(name.upper(), sorted(known), n=1)
            meant = f"Is {near[0]} meant? Rename or unset it." if near else "Unset it; docs/server.md lists those read."
            raise UnknownNameError(f"{name[:60]} is an environment variable that nothing reads. {meant}")
