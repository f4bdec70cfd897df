"""``textveil decode``: released text in, its most probable original out, by public data alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textveil.cli import options as opt
from textveil.cli.spelling import renamed
from textveil.errors import ParameterError, need

if TYPE_CHECKING:
    from textveil.aggregates.text_repair import Endpoint


SERVICE = "Repair by a service"
"""Heading of help."""


@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """A service that repairs a release, or does what a command says otherwise."""

    endpoint: Annotated[
        str | None,
        opt.option(
            "URL",
            "Have the release repaired by an OpenAI-compatible service at this base address instead; it is sent "
            "the release and the mechanism's name and guarantee. Its key: TEXTVEIL_ENDPOINT_KEY.",
            SERVICE,
            "--endpoint",
        ),
    ] = None
    endpoint_model: Annotated[str | None, opt.option("NAME", "The service's name of the model.", SERVICE)] = None
    endpoint_timeout: Annotated[float, opt.option("S", "Seconds for one answer of the service.", SERVICE)] = 120.0

    def service(self, model: Path | None = None) -> Endpoint | None:
        """The service, if one is to repair the release; there is no ``model`` then."""
        from textveil.aggregates.text_repair import Endpoint

        if self.endpoint is None:
            need(self.endpoint_model is None, "endpoint_model", "one", "given with `endpoint` alone")
            return None
        if self.endpoint_model is None:
            raise ParameterError("--endpoint needs --endpoint-model: the service's name of the model.")
        need(model is None, "model", "one", "left out with `endpoint`", "A release is decoded here or repaired there.")
        with renamed(url="endpoint", model="endpoint_model", timeout="endpoint_timeout"):
            return Endpoint(url=self.endpoint, model=self.endpoint_model, timeout=self.endpoint_timeout)
