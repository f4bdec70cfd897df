"""All attacks in order: kinds in plain sentences first; the others plant only kinds that the gateway hides there."""

import random
import subprocess
from collections.abc import Sequence
from typing import Final

from textveil.errors import UnknownNameError, need
from textveil.types import Progress
from textveil_lab.audit.gateway.attack import Attack
from textveil_lab.audit.gateway.cases import (
    CHAT,
    FAMILIES,
    HARMLESS,
    PATHS,
    Setting,
    asked,
    plain,
    request,
    settings,
    shapes,
)
from textveil_lab.audit.gateway.figures import Figure, GatewayAudit
from textveil_lab.audit.gateway.guesses import guesses
from textveil_lab.audit.gateway.replies import crossings, restored
from textveil_lab.audit.gateway.wire import Gateway, Upstream, check_reached

ALL: Final = (*FAMILIES, "restoration", "mixing", "guesses")


def audit_gateway(
    gateway: Gateway,
    upstream: Upstream,
    *,
    api: str = CHAT,
    trials: int = 20,
    families: Sequence[str] = (),
    breaking: str | None = None,
    seed: int | None = None,
    name: str = "",
    claims: str = "",
    progress: Progress | None = None,
) -> GatewayAudit:
    """Attack a gateway that runs on this machine in front of ``upstream``.

    Args:
        gateway: address, keys and model.
        upstream: provider that the gateway sends to.
        api: "chat" for OpenAI's chat API, "messages" for Anthropic's.
        trials: values drawn for each setting.
        families: of ``ALL``, to run; empty: all. "shape" always runs: it decides what to plant.
        breaking: shell command that makes the detector fail; nothing sent after it may pass in clear.
        seed: of the values; None draws one.
        name: of the gateway in the report.
        claims: of its makers.
        progress: called with the settings done.

    Raises:
        ParameterError: a number or a name is outside its domain, or the breaking command fails.
        EndpointError: nothing goes through the gateway to the upstream.
    """
    need(trials >= 1, "trials", trials, ">= 1")
    need(api in PATHS, "api", api, " or ".join(PATHS))
    for one in families:
        need(one in ALL, "families", repr(one), f"of {', '.join(ALL)}", kind=UnknownNameError)
    chosen = tuple(families) or ALL
    number = random.SystemRandom().randrange(2**32) if seed is None else seed
    check_reached(gateway, upstream, request(api, asked(api, gateway.model, HARMLESS)))
    attack = Attack(gateway=gateway, upstream=upstream, api=api, trials=trials, seed=number)
    figures = [figure for one in shapes() if (figure := attack.leaks(one, one.kinds)) is not None]
    kinds = tuple(one.name for one in figures if one.count * 10 < one.trials and one.refused < one.trials)
    waiting = [one for one in settings(api) if one.family in chosen] if kinds else []
    for done, setting in enumerate(waiting):
        figures += [figure for figure in [attack.leaks(setting, kinds)] if figure is not None]
        if progress is not None:
            progress(done + 1, len(waiting))
    if kinds:
        figures += restored(attack, kinds) if "restoration" in chosen else []
        figures += crossings(attack, kinds) if "mixing" in chosen else []
        figures += guesses(attack, kinds) if "guesses" in chosen else []
    if breaking is not None and kinds:
        figures.append(_broken(attack, breaking, kinds))
    return GatewayAudit(
        name=name or gateway.url, api=api, figures=tuple(figures), kinds=kinds, seed=number, claims=claims
    )


def _broken(attack: Attack, breaking: str, kinds: tuple[str, ...]) -> Figure:
    code = subprocess.run(["sh", "-c", breaking], check=False, stdout=subprocess.DEVNULL).returncode
    need(code == 0, "breaking", f"exit code {code}", "a command that succeeds", "Run it by itself to see why.")
    figure = attack.leaks(Setting(family="broken detector", name="a plain sentence", build=plain), kinds)
    assert figure is not None
    return figure
