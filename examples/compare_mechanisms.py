"""What one word becomes under mechanisms of equal epsilon: run with ``python examples/compare_mechanisms.py``."""

import textveil as tv

WORD, EPSILON = "doctor", 8.0


def main() -> None:
    vocabulary = tv.load_vocabulary()
    print(f"{'mechanism':<22} {'unchanged':>10} {'100 nearest':>12}   likeliest outputs")
    for name in ("neighborhood", "randomized-response", "exponential", "gaussian"):
        found = tv.explain(tv.mechanism(name, vocabulary, epsilon=EPSILON), WORD, top=4, samples=2000)
        likeliest = ", ".join(word for word, _ in found.outputs)
        print(f"{name:<22} {found.unchanged.estimate:>10.4f} {found.near.estimate:>12.4f}   {likeliest}")


if __name__ == "__main__":
    main()
