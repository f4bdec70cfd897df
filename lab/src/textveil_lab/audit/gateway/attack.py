"""Core of every attack: a gateway between a client and a provider, with planted values looked for upstream."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from textveil_lab.audit.gateway import replays
from textveil_lab.audit.gateway.cases import Setting, Shot, plain
from textveil_lab.audit.gateway.figures import Figure
from textveil_lab.audit.gateway.values import stands
from textveil_lab.audit.gateway.wire import Answer, Gateway, Upstream, echo

SLOW: Final = "stress"  # a fifth of the trials: its texts are long


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """Gateway between a client and a provider.

    Args:
        gateway: address, keys and model.
        upstream: provider that the gateway sends to.
        api: "chat" or "messages".
        trials: values drawn for each setting.
        seed: of the values; a setting's values do not depend on which others run.
    """

    gateway: Gateway
    upstream: Upstream
    api: str
    trials: int
    seed: int

    def draws(self, family: str, name: str) -> random.Random:
        """Return the random generator of a setting."""
        return random.Random(f"{self.seed}/{family}/{name}")

    def send(self, shot: Shot, *, other: bool = False) -> tuple[Answer, list[bytes]]:
        """Send a request; return the answer and what the upstream received."""
        self.upstream.taken()
        answer = self.gateway.ask(shot.request, other=other)
        return answer, self.upstream.taken()

    def leaks(self, setting: Setting, kinds: tuple[str, ...]) -> Figure | None:
        """Plant values and look for them upstream; None if no kind fits the setting."""
        fitting = [kind for kind in kinds if not setting.kinds or kind in setting.kinds]
        if not fitting:
            return None
        draw = self.draws(setting.family, setting.name)
        first = draw.randrange(len(fitting))  # few trials shall not be of one kind in all settings
        self.upstream.said, self.upstream.step = echo, 50
        trials = max(1, self.trials // 5) if setting.family == SLOW else self.trials
        leaked: list[Shot] = []
        refused, replay = 0, ""
        for trial in range(trials):
            shot = setting.build(draw, fitting[(first + trial) % len(fitting)], self.api, self.gateway.model)
            answer, came = self.send(shot)
            refused += answer.refused
            if stands(shot.needles, came):
                leaked.append(shot)
                replay = replay or replays.leak(self.gateway, self.upstream.port, self.api, shot, came, _title(setting))
        return Figure(
            family=setting.family,
            name=setting.name,
            event="leaked",
            trials=trials,
            count=len(leaked),
            refused=refused,
            kinds=tuple(dict.fromkeys(shot.value.kind for shot in leaked)),
            replay=replay,
        )

    def hidden(
        self, kind: str, draw: random.Random, *, other: bool = False
    ) -> Iterator[tuple[Shot, Answer, list[bytes]]]:
        """Yield a plain sentence that went through with its value hidden; nothing if there is none."""
        shot = plain(draw, kind, self.api, self.gateway.model)
        answer, came = self.send(shot, other=other)
        if came and not answer.refused and not stands(shot.needles, came):
            yield shot, answer, came


def _title(setting: Setting) -> str:
    return f"{setting.family}: {setting.name}"
