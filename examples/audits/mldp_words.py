"""Small public vocabularies for the mechanisms of mldp-text: see ``textveil_lab.audit.foreign.mldp``."""

from textveil_lab.audit.foreign.mldp import Places as Points
from textveil_lab.audit.foreign.mldp import diameter, distance
from textveil_lab.audit.foreign.mldp import mldp_mechanism as made

__all__ = ["Points", "diameter", "distance", "made"]
