"""Verdicts on claims: exact for finite channels, in closed form for noise, by sampling for anything callable.

``textveil.audit`` is this package and can be called: ``textveil.audit(mechanism)`` is
``textveil.audit.whole_audit.audit_mechanism(mechanism)``.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textveil.audit.report.report import AuditReport
    from textveil.mechanisms.kinds import Mechanism


class _CallablePackage(ModuleType):
    """The package itself, with the one call that most users want."""

    def __call__(self, mechanism: "Mechanism", **options: Any) -> "AuditReport":
        from textveil.audit.whole_audit import audit_mechanism

        return audit_mechanism(mechanism, **options)


sys.modules[__name__].__class__ = _CallablePackage
