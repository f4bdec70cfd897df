"""Tells a request of its inspection: policy, version and counts by kind in headers; if it asks, a receipt.

Counts are data about the texts, and no guarantee covers them: they go to whoever sent the texts. The log, the metrics
and the page have them only if the configuration says so (``counts = "log"``); else these have no counts of values.
"""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from starlette.requests import Request

from textveil.receipts import Left, Signer
from textveil.sanitize.release import Release, Report, Tally
from textveil.sanitize.setting import found_of
from textveil.server.config import Config
from textveil.server.errors import ApiError
from textveil.server.monitoring import ServerMetrics
from textveil.server.policies import OfferedPolicies
from textveil.server.service import SanitizingService
from textveil.version import VERSION

NO_RECEIPTS: Final = "this server signs no receipts. Its operator must set `receipt_key`."
RECEIPT: Final = "x-textveil-receipt"


class Inspection(NamedTuple):
    """Counts of values found and drawn in the texts of a request, those that were sent before included."""

    policy: str
    releases: tuple[Release, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of values, or words, that were drawn, by kind; kinds without one are left out."""
        kinds = Counter[str]()
        for release in self.releases:
            kinds.update(release.kinds)
        protected = {
            part.kind
            for setting in {id(each.setting): each.setting for each in self.releases}.values()
            for part in setting.protected
        }
        found = {kind: found_of(kinds, kind) for kind in sorted(protected)}
        return {kind: count for kind, count in found.items() if count}


def noted(request: Request, inspection: Inspection) -> dict[str, str]:
    """Note an inspection for the log and the metrics; return the headers of its answer."""
    counts, digest = inspection.counts, _policies(request).policy(inspection.policy).digest
    metrics = cast(ServerMetrics, request.app.state.metrics)
    metrics.inspected.labels(inspection.policy).inc()
    request.state.inspected = {"policy": inspection.policy, "digest": digest, "version": VERSION}
    if cast(Config, request.app.state.config).counts == "log":
        request.state.inspected["kinds"] = counts
        for kind, count in counts.items():
            metrics.values.labels(inspection.policy, kind).inc(count)
    told = ", ".join(f"{kind}={count}" for kind, count in counts.items()) or "none"
    return {
        "X-Textveil-Counts": told.encode("ascii", "replace").decode(),
        "X-Textveil-Policy": inspection.policy,
        "X-Textveil-Policy-Digest": digest,
        "X-Textveil-Version": VERSION,
    }


def wants_receipt(request: Request) -> bool:
    """Tell whether a request asks for a receipt, before anything of it is paid.

    Raises ApiError: it asks for another form, or this server signs none.
    """
    if (asked := request.headers.get(RECEIPT)) is None:
        return False
    if asked != "signed":
        raise ApiError(400, "invalid_header", "X-Textveil-Receipt must be `signed`; got something else.")
    if request.app.state.signer is None:
        raise ApiError(400, "no_receipts", NO_RECEIPTS)
    return True


async def receipt_header(request: Request, inspection: Inspection, body: bytes) -> dict[str, str]:
    """Return the header with the receipt of a body that goes on, in base64."""
    service = cast(SanitizingService, request.app.state.service)
    signer = cast(Signer, request.app.state.signer)

    def signed() -> bytes:
        setting, tally = service.policies.sanitizer(inspection.policy).setting, Tally()
        for release in inspection.releases:
            tally.add_document([release])
        return signer.receipt(Report(setting=setting, tally=tally).to_data(), Left.of("body of a request", body))

    return {"X-Textveil-Receipt": base64.b64encode(await service.in_thread(signed)).decode()}


def inspections(request: Request) -> dict[str, Any]:
    """Return what was inspected since the server started, for its page."""
    metrics, policies = cast(ServerMetrics, request.app.state.metrics), _policies(request)
    values = _by_labels(metrics.values, ("policy", "kind"))
    rows = [
        {
            "policy": name,
            "digest": policies.policy(name).digest,
            "requests": count,
            "values": {kind: found for (policy, kind), found in values.items() if policy == name},
        }
        for (name,), count in _by_labels(metrics.inspected, ("policy",)).items()
    ]
    return {
        "version": VERSION,
        "counts": cast(Config, request.app.state.config).counts == "log",
        "policies": rows,
        "refused": sum(_by_labels(metrics.refused, ("code",)).values()),
    }


def _policies(request: Request) -> OfferedPolicies:
    return cast(SanitizingService, request.app.state.service).policies


def _by_labels(counter: Any, names: Sequence[str]) -> Mapping[tuple[str, ...], int]:
    (metric,) = counter.collect()
    return {
        tuple(sample.labels[name] for name in names): int(sample.value)
        for sample in metric.samples
        if sample.name.endswith("_total")
    }
