"""What is known of a noise: how far it is from its copy moved by a shift."""

from typing import Protocol, runtime_checkable

from textveil.statistics import Bound


@runtime_checkable
class PrivacyProfile(Protocol):
    """The distance of the noise from its copy moved by a shift: the least delta at every epsilon."""

    @property
    def largest_loss(self) -> float:
        """Supremum of the finite losses, nats, the least float that is not below it; inf if there is none."""

    @property
    def log_outside(self) -> Bound:
        """Natural logarithm of the mass that leaves the moved support; -inf, exactly, if none does."""

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon, between two bounds that hold; never above 0.

        It equals ``log_outside`` from ``largest_loss`` on, and is above -inf below it.

        ``epsilon``: nats, finite and >= 0.
        """
