"""``textveil doctor``: what this installation can do, where it keeps things, and whether an upstream answers."""

import platform
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from typing import Annotated, NamedTuple

from textveil.cli import options as opt
from textveil.errors import ParameterError
from textveil.json_text import json_text

_NOT_FOR_USE = frozenset({"benchmark", "dev", "docs", "full", "test"})  # extras for who builds textveil
_SECONDS = 5.0
_OF_NAMES = frozenset({"extras", "policies"})  # lists of names, which are the same in every language
_NONE = "none"
_KEYED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class Finding(NamedTuple):
    """One thing that was looked at."""

    about: str
    said: str
    fine: bool = True


def doctor_command(
    upstream: Annotated[
        str | None, opt.option("URL", "Base URL of an API: says whether it answers, by GET /models without a key.")
    ] = None,
    as_json: opt.AsJson = False,
    language: opt.Language = None,
) -> int:
    """Say what this installation can do, where it keeps things, and which extras are missing.

    Exit code 1 if something that was asked for fails.
    """
    from textveil.pages.messages import plain_row, row, said

    findings = list(_findings(upstream))
    if as_json:
        sys.stdout.write(json_text([each._asdict() for each in findings]))
    else:
        for each in findings:
            shown = plain_row if each.about in _OF_NAMES and each.said != _NONE else row
            lines = (
                shown(each.about, each.said) if each.fine else row("FAILS", f"{said(each.about)}: {said(each.said)}")
            )
            sys.stdout.writelines(line + "\n" for line in lines)
    return 0 if all(each.fine for each in findings) else 1


def _findings(upstream: str | None) -> Iterator[Finding]:
    from textveil.environment import cores
    from textveil.sanitize.policy.choice import PRESETS
    from textveil.vocabulary.tables.files import table_files
    from textveil.vocabulary.tables.public import tables_folder

    yield Finding("textveil", f"{version('textveil')} on Python {platform.python_version()}, {cores()} processors")
    yield Finding("policies", ", ".join(PRESETS))
    folder = tables_folder()
    tables = table_files(folder)
    yield Finding("cache", f"{folder}: {len(tables)} public tables, {sum(each.nbytes for each in tables) / 1e6:.1f} MB")
    yield Finding("lab", _lab())
    there, missing = _extras()
    if "server" in there:
        from textveil.server.config import Config

        yield Finding("budgets", f"{Config().database_url}; serve and keys use it unless --database names another")
    yield Finding("extras", ", ".join(there) or _NONE)
    yield Finding("missing", f"{', '.join(missing)}: pip install 'textveil[NAME]'" if missing else "none")
    if upstream is not None:
        yield _answer(upstream)


def _lab() -> str:
    try:
        return version("textveil-lab")
    except PackageNotFoundError:
        return "not installed; in a clone: python -m pip install ./lab"


def _extras() -> tuple[list[str], list[str]]:
    """Return the extras whose packages are installed, whatever their versions, and those that miss one."""
    packages: dict[str, set[str]] = defaultdict(set)
    for line in requires("textveil") or ():
        extra = re.search(r"extra == ['\"]([\w-]+)", line)
        if extra is not None:
            packages[extra[1]].update(re.findall(r"^[\w.-]+", line))
    names = sorted(set(packages) - _NOT_FOR_USE)
    there = [name for name in names if all(map(_is_installed, packages[name]))]
    return there, [name for name in names if name not in there]


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def _answer(upstream: str) -> Finding:
    from urllib.error import HTTPError, URLError
    from urllib.parse import urlsplit
    from urllib.request import urlopen

    from textveil.cli.serve import needs_server

    address = urlsplit(upstream)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ParameterError("--upstream must be a URL that begins with http:// or https://; got another.")
    with needs_server():
        from textveil.server.gateway.upstream import base_of
    models = f"{base_of(upstream)}/models"  # which every such API has
    try:
        with urlopen(models, timeout=_SECONDS) as answer:
            return Finding("upstream", f"{models} answers ({answer.status})")
    except HTTPError as error:
        if error.code == HTTPStatus.NOT_FOUND:
            hint = "is the URL that of the API, as https://api.openai.com/v1?"
            return Finding("upstream", f"{models} is not there (404): {hint}", fine=False)
        key = ": it asks for a key, which this command does not send" if error.code in _KEYED else ""
        return Finding("upstream", f"{models} answers ({error.code}){key}")
    except (URLError, OSError, ValueError) as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ConnectionRefusedError):
            return Finding("upstream", f"{address.netloc} refuses connections: is the service running?", fine=False)
        told = f"{address.hostname} does not answer within {_SECONDS:g} s ({type(cause).__name__})"
        return Finding("upstream", told, fine=False)
