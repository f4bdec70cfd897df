"""What options of mechanisms share: headings of help, and what says how much in place of epsilon."""

from __future__ import annotations

from textveil.registry.options import ANY as ANY
from textveil.registry.options import FINITE as FINITE
from textveil.registry.options import FRACTION as FRACTION
from textveil.registry.options import OTHERS as OTHERS
from textveil.registry.options import POSITIVE as POSITIVE
from textveil.registry.options import Domain as Domain
from textveil.registry.options import Option as Option
from textveil.registry.options import at_least as at_least
from textveil.registry.options import file_or_named as file_or_named
from textveil.registry.options import interval as interval
from textveil.registry.options import named as named
from textveil.registry.options import options_of as options_of
from textveil.registry.options import takes_progress as takes_progress

GUARANTEE = "Guarantee"
VECTORS = "Vectors and noise"
NEIGHBORHOODS = "Neighborhoods and word metrics"
MODELS = "Models on disk and their codes"  # headings under which help lists options
DEFAULT_EPSILON = 8.0  # what the catalog takes where neither epsilon nor what stands in its place is given
IN_PLACE_OF_EPSILON = ("epsilon_per_distance", "epsilon_per_token", "temperature")
"""Options that say how much instead of epsilon, where a mechanism has them."""
