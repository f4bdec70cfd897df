"""Exact audits of channels whose guarantee compares words of one public group only: group by group, the worst first.

The rows of a group are a channel of their own, so results are exact for every two words of the group. Two words of
different groups are not compared: the guarantee leaves public that such a pair can be told apart.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import UnsupportedGuarantee, need
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.exact import PureLoss, audit_channel, pure_epsilon
from textveil_lab.audit.channels.rows import IntegerRows, Rows, RowSource, source_of
from textveil_lab.audit.report.report import Claim, Finding, Verdict
from textveil_lab.mechanisms.capabilities import WithinGroups

_COMPACT: Final = 1 << 22  # Weights of a group up to which columns that none of its words gives are left out


class GroupRows(NamedTuple):
    """Rows of one group."""

    words: Ids
    outputs: Ids
    source: RowSource


def groups_of(channel: WithinGroups, size: int) -> Iterator[Ids]:
    """Yield the words of every group of at least two words, in rising order.

    Raises:
        ParameterError: the groups are not one integer >= -1 for each word.
    """
    groups = np.asarray(channel.groups)
    need(groups.shape == (size,), "groups", f"shape {groups.shape}", f"of shape ({size},)")
    need(groups.dtype.kind in "iu" and bool((groups >= -1).all()), "groups", "others", "integers >= -1")
    order = np.argsort(groups, kind="stable")
    for words in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        if len(words) > 1 and groups[words[0]] >= 0:
            yield words


def rows_of(source: RowSource, words: Ids) -> GroupRows:
    """Return the rows of these words; columns that all of them give 0 are left out if that is cheap."""
    outputs = np.arange(source.shape[1])
    if isinstance(source, IntegerRows):
        make = source.make
        if len(words) * source.shape[1] > _COMPACT:
            return GroupRows(words, outputs, IntegerRows((len(words), source.shape[1]), lambda ids: make(words[ids])))
        weights: Integers = np.asarray(make(words))
        outputs = np.flatnonzero(weights.any(axis=0))
        kept = weights[:, outputs]
        return GroupRows(words, outputs, IntegerRows(kept.shape, lambda ids: kept[ids]))
    return GroupRows(words, outputs, _Rows(source, words))


class _Rows(NamedTuple):
    whole: RowSource
    words: Ids

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.words), self.whole.shape[1]

    def rows(self, start: int, stop: int) -> Reals:
        return np.concatenate([self.whole.rows(word, word + 1) for word in self.words[start:stop].tolist()])


def audit_within_groups(
    channel: Rows, groups: WithinGroups, claim: Claim, vocabulary: Vocabulary, *, progress: Progress | None = None
) -> Finding:
    """Certify or refute ``claim`` for every two words of one group, from the channel's table.

    Args:
        channel: the channel, a row for each word of the vocabulary.
        claim: about two words of one group.

    Returns:
        The finding of ``audit_channel`` in the group of the largest loss; if several break the claim, of the largest
        delta.

    Raises:
        UnsupportedGuarantee: no group holds two words, so nothing is compared.
        ParameterError: the rows are no channel, or the groups do not fit them.
    """
    source = source_of(channel)
    size = len(vocabulary)
    need(source.shape[0] == size, "vocabulary", f"{size} words", f"one word for each of {source.shape[0]} rows")
    losses: list[tuple[float, Ids]] = []
    done = 0
    for words in groups_of(groups, size):
        losses.append((_upper(pure_epsilon(rows_of(source, words).source)), words))
        done += len(words)
        if progress is not None:
            progress(done, size)
    if not losses:
        raise UnsupportedGuarantee("an audit needs a group of two words at least; got none: nothing is compared.")
    worst = max(losses, key=lambda loss_and_words: loss_and_words[0])
    broken = [words for loss, words in losses if loss > claim.epsilon and claim.log_delta > -math.inf]
    findings = [_of_group(source, words, claim, vocabulary) for words in (broken or [worst[1]])]
    leading = max(findings, key=lambda each: (each.verdict is Verdict.REFUTED, each.delta.upper, each.epsilon.estimate))
    many, largest = len(losses), max(len(words) for _, words in losses)
    note = (
        f"Computed from the whole table: every two words of one public group are covered, in {many} groups of up to "
        f"{largest} words; {size - done} words are in no group of two. Words of different groups are not compared."
    )
    return replace(leading, notes=(note, *leading.notes[1:]), inputs="any two words of one public group")


def _upper(loss: PureLoss) -> float:
    return loss.epsilon.estimate if loss.ratio is not None else loss.epsilon.upper


def _of_group(source: RowSource, words: Ids, claim: Claim, vocabulary: Vocabulary) -> Finding:
    group = rows_of(source, words)
    names = [vocabulary.words[word] for word in group.words.tolist()]
    outputs = [vocabulary.words[column] for column in group.outputs.tolist()]
    return audit_channel(group.source, claim, names, outputs=outputs)
