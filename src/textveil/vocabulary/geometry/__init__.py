"""Geometry of public vectors: norms, clipping, exact diameters, closest pair, neighborhoods; import it from here."""

from textveil.vocabulary.facts import normalize as normalize
from textveil.vocabulary.facts import norms as norms
from textveil.vocabulary.geometry.facts import clipped_diameter as clipped_diameter
from textveil.vocabulary.geometry.facts import farthest_pair as farthest_pair
from textveil.vocabulary.geometry.facts import measured_facts as measured_facts
from textveil.vocabulary.geometry.facts import minimum_distance as minimum_distance
from textveil.vocabulary.geometry.facts import norm_range as norm_range
from textveil.vocabulary.geometry.neighbors import nearest_neighbors as nearest_neighbors
from textveil.vocabulary.geometry.norms import clip as clip
from textveil.vocabulary.geometry.pairs import diameter as diameter
from textveil.vocabulary.geometry.stretch import largest_stretch as largest_stretch
