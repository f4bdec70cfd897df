"""``textveil mechanisms``: the catalog, with the true status of every claim."""

from __future__ import annotations

import json
import sys

from textveil.cli import options as opt


def mechanisms_command(as_json: opt.AsJson = False) -> None:
    """List the mechanisms with the status of their guarantees."""
    from textveil.catalog import entries

    catalog = entries()
    if as_json:
        rows = [
            {
                "name": entry.name,
                "family": entry.family,
                "guarantee": entry.notion,
                "status": entry.status.value,
                "proof": entry.proof,
                "source": entry.source,
                "summary": entry.summary,
                "options": list(entry.options()),
                "instead": entry.instead or None,
            }
            for entry in catalog.values()
        ]
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return
    columns = [("NAME", "GUARANTEE", "STATUS", "WHAT IT DOES")]
    columns += [(one.name, one.notion, one.status.value, one.summary) for one in catalog.values()]
    widths = [max(len(row[index]) for row in columns) for index in range(3)]
    for name, notion, status, summary in columns:
        sys.stdout.write(f"{name:<{widths[0]}}  {notion:<{widths[1]}}  {status:<{widths[2]}}  {summary}\n")
