"""A sample of every surrogate: what a value becomes, and what it costs.

python examples/surrogates.py
"""

from typing import Any

from textveil.randomness import seeded_generator
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention

VALUES = {
    "person": ["Maria Gonzalez", "Ms. Gonzalez's", "MARIA", "J.R. van Dyke"],
    "place": ["Springfield", "12 Main St., Springfield, IL 62701"],
    "organization": ["Acme Corporation", "IBM"],
    "phone": ["(617) 253-1000", "+44 20 7946 0018 ext. 4", "+49 30 12345678"],
    "email": ["maria.gonzalez@gmail.com"],
    "url": ["https://www.acme.com/staff/maria"],
    "handle": ["@maria_g"],
    "ip": ["10.2.3.4", "fe80::1"],
    "id": ["MRN-44712-B", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "123-45-6789"],
    "date-shift": ["March 3, 2024", "2024-03-05", "Tuesday", "May 2023"],
    "date-window": ["March 3, 2024", "3/5/24"],
    "age": ["45-year-old", "forty-five", "6 months"],
    "time": ["2:30 pm", "09:05:33"],
    "amount": ["$1,250.00", "3.5 million euros"],
    "measurement": ["SpO2 97% RA", "BP 132/84", "three months"],
    "digits": ["1,250", "A-17"],
    "pool": ["aspirin", "ibuprofen"],
    "placeholder": ["anything"],
    "demographic": ["Austrian national", "nurse", "married"],
    "secret": ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "hunter2"],
}
EPSILONS = {"date-shift": 1.0, "age": 2.0, "time": 3.0, "amount": 4.0, "measurement": 4.0}
OPTIONS: dict[str, dict[str, Any]] = {
    "pool": {"words": ["lisinopril", "metformin", "sertraline"]},
    "placeholder": {"text": "[removed]"},
}

rng = seeded_generator(7)  # for a page that does not change; releases draw from secure_generator()
for name, values in VALUES.items():
    surrogate = make_surrogate(name, EPSILONS.get(name, 0.0), OPTIONS.get(name, {}))
    drawn = surrogate.draw([Mention(value) for value in values], MemoryScope(), rng)
    print(f"{name} ({surrogate.guarantee})")
    for value, other in zip(values, drawn, strict=True):
        print(f"    {value}  ->  {other}")
