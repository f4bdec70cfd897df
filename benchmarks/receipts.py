"""Time to check a receipt and the digest of its file, without the start of the interpreter.

    python benchmarks/receipts.py

Exits with 1 if the median of a check of 1 MB takes 10 ms or more.
"""

import secrets
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import textveil as tv
from textveil.corpora.inputs import whole_of
from textveil.receipts import Left, Signer, read_receipt

RUNS = 200
LIMIT = 0.010


def main() -> int:
    """Print milliseconds of a signature and of a check; return the exit code."""
    report = tv.Sanitizer("clinical")("Mr. Tom Baker, admitted 27/02/2015.").report().to_data()
    signer, data = Signer(secrets.token_bytes(32)), secrets.token_bytes(10**6)
    signing, checking = [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "release")
        file.write_bytes(data)
        for _ in range(RUNS):
            start = time.perf_counter()
            receipt = signer.receipt(report, Left.of("file", data))
            signed = time.perf_counter()
            read, whole = read_receipt(receipt, signer.public), whole_of(file)
            assert whole == (read.left.length, read.left.sha256)
            signing.append(signed - start)
            checking.append(time.perf_counter() - signed)
    print(f"receipt of {len(receipt):,} bytes, file of {len(data):,} bytes, median of {RUNS}")
    print(f"sign   {1000 * median(signing):.2f} ms")
    print(f"verify {1000 * median(checking):.2f} ms (largest {1000 * max(checking):.2f} ms)")
    return int(median(checking) >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
