"""Put mldp-text to the test: run with ``python examples/audits/run_all.py`` where mldp-text 0.1.2 is installed.

One line a mechanism: the claim for the pair, the lower bound on its epsilon, the verdict, then what the hygiene checks
caught. One of them alone: ``python examples/audits/run_all.py mldp_vickrey``.
"""

import importlib
import importlib.util
import sys
import time
from types import ModuleType

from mldp_words import diameter

from textveil_lab.audit.foreign.hygiene import HygieneFinding, run_hygiene
from textveil_lab.audit.report.report import Claim, Finding
from textveil_lab.audit.sampled.bounds import audit_sampled
from textveil_lab.audit.sampled.draws import callable_draw

ADAPTERS = ("mldp_multivariate", "mldp_vickrey", "mldp_tem", "mldp_truncated_gumbel")
CONFIDENCE = 0.999


def audit(adapter: ModuleType) -> Finding:
    """The sampled audit of one adapter, on its own pair."""
    # A batch is sound here: each adapter is a loop that draws for each word anew.
    draw = callable_draw(adapter.sanitize, batch=100)
    return audit_sampled(draw, [adapter.PAIR], adapter.CLAIM, samples=adapter.SAMPLES, confidence=CONFIDENCE)


def hygiene(adapter: ModuleType) -> tuple[HygieneFinding, ...]:
    """The hygiene checks of one adapter, on its public words, against the claim for any two of them."""
    claim = Claim(epsilon=adapter.EPSILON_PER_DISTANCE * diameter(adapter.POINTS))
    return run_hygiene(adapter.sanitize, list(adapter.POINTS), claim=claim)


def main(names: tuple[str, ...]) -> None:
    if importlib.util.find_spec("mldp_text") is None:
        raise SystemExit("mldp_text is not installed. Run: pip install mldp-text==0.1.2")
    print(f"{'adapter':<22} {'claimed':>8} {'lower':>8} {'verdict':<12} {'samples':>8} {'seconds':>8}")
    for name in names:
        adapter = importlib.import_module(name)
        started = time.perf_counter()
        found = audit(adapter)
        row = f"{name:<22} {found.claim.epsilon:>8.4f} {found.epsilon.lower:>8.4f} {found.verdict.value:<12}"
        print(f"{row} {found.samples:>8} {time.perf_counter() - started:>8.1f}")
        for note in found.notes:
            print(f"  {note}")
        for one in hygiene(adapter):
            if not one.passed:
                print(f"  {one.check}: {one.witness}")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or ADAPTERS)
