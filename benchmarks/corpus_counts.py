"""What counts of a corpus are worth: errors, items beside published selections, n-grams, and time.

    python benchmarks/corpus_counts.py [selection|errors|ngrams|wikipedia]...

AG News (29,331 documents, each a unit) at epsilon 1, delta 1e-6, with five seeds; 13 million words of Wikipedia. All
selections get the same documents and the same words:

- plain: weights 1 / sqrt(words of the document), one threshold (Gopi et al. 2020, weighted Gaussian);
- policy: the same budget of a document, given greedily to words below a cutoff (Gopi et al. 2020, policy Gaussian);
- SIPS: plain in three rounds, without what was released before, budgets growing (Swanberg et al. 2023).
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from corpora import SHARED
from scipy.special import log_ndtr

from textveil.aggregates.budget import GaussianBudget
from textveil.aggregates.contributions import ContributionBound
from textveil.aggregates.count_run import public_words, word_weights
from textveil.aggregates.counts import SELECTIONS, Count, Counting
from textveil.aggregates.person_words import PersonWords
from textveil.aggregates.records import EACH_RECORD, PersonalRecords
from textveil.privacy.calibration import analytic_gaussian_sigma
from textveil.privacy.units import ONE_RECORD_MORE

EPSILON, DELTA, SEEDS = 1.0, 1e-6, 5
