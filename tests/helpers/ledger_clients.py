"""A process that spends from a ledger until it is killed, and writes down what it has released: a line, at once.

Run as: python -m tests.helpers.ledger_clients URL KEY FILE THREADS SEED
"""

import os
import random
import sys
import threading
import time

from textveil.budget.account import Account
from textveil.budget.ledger import Ledger
from textveil.errors import BudgetExhausted, LedgerError
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import PureDP, Status

PERSONS = ("ann", "bob", "cy")


def cost_of(epsilon: float) -> Accountant:
    """Two draws of half of it each."""
    return Accountant().compose(PureDP(epsilon=epsilon / 2, status=Status.PROVED), 2)


def spend(ledger: Ledger, file: int, choose: random.Random) -> None:
    """Reserve, "release" by writing a line, commit; over and over, whatever fails on the way."""
    exhausted = 0
    while exhausted < 20:
        account, epsilon = Account("acme", choose.choice(PERSONS)), choose.choice([0.25, 0.5, 1.0])
        try:
            reservation = ledger.reserve(account, cost_of(epsilon))
            os.write(file, f"{account.unit} {reservation.number} {epsilon}\n".encode())
            ledger.commit(reservation)
        except BudgetExhausted:
            exhausted += 1
        except LedgerError:
            time.sleep(0.02)  # the database is away: nothing was released


def main() -> None:
    """Spend with several threads."""
    url, key, path, threads, seed = sys.argv[1:]
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    ledger = None
    while ledger is None:
        try:
            ledger = Ledger(url, key=bytes.fromhex(key))
        except LedgerError:
            time.sleep(0.05)
    hands = [
        threading.Thread(target=spend, args=(ledger, file, random.Random(int(seed) * 100 + number)))
        for number in range(int(threads))
    ]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    ledger.close()


if __name__ == "__main__":
    main()
