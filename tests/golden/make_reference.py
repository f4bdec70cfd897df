"""Reference values for the laws, mechanisms and limits, computed apart from the package.

Every number here comes from a second method (arbitrary precision, quadrature, or
brute force over a tiny vocabulary), so tests that compare against `reference.json`
do not check the package against itself.

Run: python make_reference.py > reference.json   (needs mpmath, numpy, scipy)
"""

import itertools
import json
import math

import mpmath as mp
import numpy as np

mp.mp.dps = 50


def truncated_laplace_published(d, epsilon, clip, delta):
    """Theorem 3 of Huang et al. 2024 as printed, and the delta it really has.

    The true delta at the same epsilon for a difference vector v is the mass of the
    noise box that leaves the shifted box: 1 - prod_i (1 - F(|v_i|)).
    """
    d, epsilon, clip, delta = mp.mpf(d), mp.mpf(epsilon), mp.mpf(clip), mp.mpf(delta)
    delta1, root = 2 * mp.sqrt(d) * clip, delta ** (1 / d)
    alpha = epsilon / delta1
    bound = -(delta1 / epsilon) * mp.log(1 - epsilon / (2 * root * mp.sqrt(d)))
    norm = 2 * (1 - mp.exp(-alpha * bound)) / alpha

    def leaves(v):
        if v <= bound:
            return (mp.exp(-alpha * (bound - v)) - mp.exp(-alpha * bound)) / (alpha * norm)
        return (
            1 - (mp.exp(-alpha * (v - bound)) - mp.exp(-alpha * bound)) / (alpha * norm)
            if v <= 2 * bound
            else mp.mpf(1)
        )

    variance = mp.quad(lambda x: 2 * x**2 * mp.exp(-alpha * x) / norm, [0, bound])
    spread = 1 - (1 - leaves(2 * clip / mp.sqrt(d))) ** int(d)
    return {
        "alpha": float(alpha),
        "bound": float(bound),
        "normaliser": float(norm),
        "variance_per_coordinate": float(variance),
        "true_delta_equal_spread_shift_2C": float(spread),
        "true_delta_one_coordinate_shift_2C": float(leaves(2 * clip)),
    }


def truncated_laplace_valid(l1_sensitivity, epsilon, delta):
    """Per-coordinate bound that does give (epsilon, delta)-DP for iid truncated Laplace noise."""
    return float(mp.mpf(l1_sensitivity) / epsilon * mp.log(1 + (mp.e ** mp.mpf(epsilon) - 1) / (2 * mp.mpf(delta))))


def analytic_gaussian_sigma(epsilon, delta, sensitivity=1):
    """Balle & Wang 2018: the least sigma with Phi(D/2s - es/D) - e^e Phi(-D/2s - es/D) <= delta."""
    e, dl, big_d = mp.mpf(epsilon), mp.mpf(delta), mp.mpf(sensitivity)

    def excess(s):
        return mp.ncdf(big_d / (2 * s) - e * s / big_d) - mp.exp(e) * mp.ncdf(-big_d / (2 * s) - e * s / big_d) - dl

    lo, hi = mp.mpf("1e-6"), mp.mpf("1e8")
    for _ in range(220):
        mid = mp.sqrt(lo * hi)
        lo, hi = (mid, hi) if excess(mid) > 0 else (lo, mid)
    return float(hi)


def noisy_dot_product_pdf(z, d, rate):
    """Law of <eta, u> for a unit vector u when eta has density ~ exp(-rate ||eta||) in R^d.

    Symmetric variance-gamma: the difference of two independent Gamma((d+1)/2, 1/rate).
    """
    z, d, rate = abs(mp.mpf(z)), mp.mpf(d), mp.mpf(rate)
    y = rate * z
    if y == 0:
        return float(rate * mp.gamma(d / 2) / (2 * mp.sqrt(mp.pi) * mp.gamma((d + 1) / 2)))
    return float(rate / (mp.sqrt(mp.pi) * mp.gamma((d + 1) / 2)) * (y / 2) ** (d / 2) * mp.besselk(d / 2, y))


def noisy_dot_product_cdf(z, d, rate):
    d_, r_ = mp.mpf(d), mp.mpf(rate)
    c = r_ / (mp.sqrt(mp.pi) * mp.gamma((d_ + 1) / 2))

    def f(x):
        return c * (r_ * x / 2) ** (d_ / 2) * mp.besselk(d_ / 2, r_ * x)

    if z == 0:
        return 0.5
    pts = [mp.mpf("1e-30")] + [mp.mpf(abs(z)) * k / 8 for k in range(1, 9)]
    half = mp.quad(f, pts)
    return float(mp.mpf("0.5") + half) if z > 0 else float(mp.mpf("0.5") - half)


def worst_log_ratio(channel):
    """max over inputs x, x' and outputs y of ln P(y|x)/P(y|x')."""
    return max(
        math.log(channel[a][y] / channel[b][y])
        for a, b in itertools.permutations(range(len(channel)), 2)
        for y in range(len(channel[0]))
    )


def hockey_stick(channel, epsilon):
    """The least delta at this epsilon, by enumeration over all ordered pairs."""
    e = math.exp(epsilon)
    return max(
        sum(max(0.0, p - e * q) for p, q in zip(channel[a], channel[b], strict=True))
        for a, b in itertools.permutations(range(len(channel)), 2)
    )


def tiny_channels():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [-1.0, -2.5]])
    dist = np.linalg.norm(points[:, None] - points[None], axis=2)
    n, out = len(points), {}
    for eps in (0.5, 2.0):
        sant = np.exp(-eps / 2 * dist)
        sant /= sant.sum(1, keepdims=True)
        beta = 0.001
        gamma = 2 / eps * math.log((1 - beta) * (n - 1) / beta)
        tem = np.exp(-eps / 2 * np.minimum(dist, gamma))
        tem /= tem.sum(1, keepdims=True)
        krr = np.full((n, n), 1 / (math.exp(eps) + n - 1))
        np.fill_diagonal(krr, math.exp(eps) / (math.exp(eps) + n - 1))
        m = 2
        near = np.argsort(dist, axis=1, kind="stable")[:, :m]
        hood = np.ones((n, n))
        np.put_along_axis(hood, near, math.exp(eps), axis=1)
        hood /= hood.sum(1, keepdims=True)
        for name, ch in (
            ("exponential", sant),
            ("tem", tem),
            ("randomized_response", krr),
            ("neighborhood_response_m2", hood),
        ):
            out[f"{name}@{eps}"] = {
                "rows": ch.tolist(),
                "worst_log_ratio": worst_log_ratio(ch.tolist()),
                "hockey_stick_at_half": hockey_stick(ch.tolist(), worst_log_ratio(ch.tolist()) / 2),
            }
    return {"points": points.tolist(), "channels": out}


reference = {
    "truncated_laplace_published": [
        {"d": d, "epsilon": e, "clip": 1.0, "delta": "4^-d", **truncated_laplace_published(d, e, 1, mp.mpf(4) ** -d)}
        for d, e in (
            (1, 0.1),
            (2, 0.5),
            (50, 0.5),
            (300, 0.05),
            (300, 0.1),
            (300, 1),
            (300, 5),
            (300, 8),
            (500, 10),
            (1700, 20),
        )
    ],
    "truncated_laplace_valid_bound": [
        {"l1_sensitivity": s, "epsilon": e, "delta": dl, "bound": truncated_laplace_valid(s, e, dl)}
        for s, e, dl in (
            (2.0, 0.1, 1e-5),
            (2 * math.sqrt(50), 1.0, 1e-6),
            (2 * math.sqrt(300), 0.1, 1e-5),
            (2 * math.sqrt(300), 10.0, 1e-5),
        )
    ],
    "analytic_gaussian_sigma": [
        {"epsilon": e, "delta": dl, "sensitivity": s, "sigma": analytic_gaussian_sigma(e, dl, s)}
        for e, dl, s in ((0.05, 1e-5, 2.0), (0.1, 1e-5, 2.0), (1.0, 1e-5, 2.0), (10.0, 1e-5, 2.0), (50.0, 1e-6, 1.0))
    ],
    "noisy_dot_product": [
        {
            "d": d,
            "rate": r,
            "z": z,
            "pdf": noisy_dot_product_pdf(z, d, r),
            "cdf": noisy_dot_product_cdf(z, d, r),
            "variance": (d + 1) / r**2,
        }
        for d, r, z in (
            (2, 1.0, 0.0),
            (2, 1.0, 1.5),
            (25, 3.0, -0.7),
            (50, 10.0, 1.0),
            (300, 10.0, 2.0),
            (300, 40.0, 0.45),
            (300, 10.0, -3.5),
        )
    ],
    "limits": [
        {
            "n": n,
            "epsilon": e,
            "delta": dl,
            "max_mean_probability_of_unchanged": (math.exp(e) + (n - 1) * dl) / (math.exp(e) + n - 1),
        }
        for n, e, dl in (
            (10_000, 0.05, 0.0),
            (10_000, 1.0, 0.0),
            (10_000, 5.0, 1e-5),
            (10_000, 10.0, 0.0),
            (33_860, 10.0, 0.0),
        )
    ],
    "neighborhood_response": [
        {"n": n, "m": m, "epsilon": e, "probability_inside": m * math.exp(e) / (m * math.exp(e) + n - m)}
        for n, m, e in ((10_000, 1, 10.0), (10_000, 16, 8.0), (10_000, 236, 5.0), (10_000, 3141, 1.0))
    ],
    "tiny": tiny_channels(),
}
print(json.dumps(reference, indent=1))
