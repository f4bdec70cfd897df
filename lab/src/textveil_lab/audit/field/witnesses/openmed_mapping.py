"""OpenMed: eight named counts released at once are charged epsilon 1; each has noise of scale 1 / epsilon."""

import json

from openmed.risk.aggregate_dp import AggregateDPBudgetLedger, release_aggregate

ledger = AggregateDPBudgetLedger(max_epsilon=10.0, max_delta=0.0)
release_aggregate({f"count{i}": 5.0 for i in range(8)}, ledger=ledger, epsilon=1.0)
charged = ledger.spent_epsilon
readings = {
    "sensitivity 1 bounds the change of all named values together": {"claimed": charged, "found": charged},
    "sensitivity 1 bounds the change of each, and one record counts in all eight": {"claimed": charged, "found": 8.0},
}
print(json.dumps({"readings": readings}))
