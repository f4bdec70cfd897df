"""Verdicts on claims: exact for finite channels, in closed form for noise, by sampling for anything callable.

``textveil_lab.audit`` is this package and can be called: ``textveil_lab.audit(mechanism)`` is
``textveil_lab.audit.whole_audit.audit_mechanism(mechanism)``.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Mechanism
    from textveil_lab.audit.report.report import AuditReport


class _CallablePackage(ModuleType):
    def __call__(self, mechanism: "Mechanism", **options: Any) -> "AuditReport":
        from textveil_lab.audit.whole_audit import audit_mechanism

        return audit_mechanism(mechanism, **options)


sys.modules[__name__].__class__ = _CallablePackage
