"""Geometry of public vectors: norms, clipping, exact diameters, closest pair, neighborhoods; import it from here."""

from textveil.vocabulary.facts import mean_neighbor_similarity as mean_neighbor_similarity
from textveil.vocabulary.facts import normalize as normalize
from textveil.vocabulary.facts import remembered as remembered
from textveil_lab.vocabulary.geometry.facts import clip as clip
from textveil_lab.vocabulary.geometry.facts import clipped_diameter as clipped_diameter
from textveil_lab.vocabulary.geometry.facts import farthest_pair as farthest_pair
from textveil_lab.vocabulary.geometry.facts import measured_facts as measured_facts
from textveil_lab.vocabulary.geometry.facts import minimum_distance as minimum_distance
from textveil_lab.vocabulary.geometry.facts import norm_range as norm_range
from textveil_lab.vocabulary.geometry.facts import norms as norms
from textveil_lab.vocabulary.geometry.neighbors import nearest_neighbors as nearest_neighbors
from textveil_lab.vocabulary.geometry.pairs import diameter as diameter
from textveil_lab.vocabulary.geometry.stretch import largest_stretch as largest_stretch
