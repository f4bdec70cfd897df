"""A corpus released by several Ray nodes of one core each, all on this machine, beside the local engine.

    python benchmarks/ray_nodes.py [--nodes 3] [--megabytes 20] [--json]

Every node is a raylet of its own with its own object store, as on several machines, and has room for one actor, so that
each works. The bytes must be those of the local engine. Rates on one machine say nothing about several: what this shows
is that it works and what passes between nodes. Needs the folder of shared texts.
"""

import argparse
import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Any

import ray
from measure import machine
from ray.cluster_utils import Cluster
from ray_overhead import corpus, released

from textveil.corpora.processes import Processes
from textveil.integrations.ray import RayEngine


def main() -> None:
    """Releases by both, and prints what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--megabytes", type=float, default=20.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "corpus.jsonl"
        corpus(source, given.megabytes)
        seconds, words, digest = released(source, Processes(1))
        untyped: Any = ray
        cluster: Any = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 1, "object_store_memory": 2**28, "include_dashboard": False},
        )
        try:
            for _ in range(given.nodes - 1):
                cluster.add_node(num_cpus=1, object_store_memory=2**28)
            ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
            alive = [node for node in untyped.nodes() if node["Alive"]]
            there, same_words, same = released(source, RayEngine(given.nodes))
        finally:
            untyped.shutdown()
            cluster.shutdown()
    assert (same, same_words) == (digest, words), "nodes must release the same bytes as one process"
    found = {
        "nodes": len(alive),
        "cores of all nodes": sum(node["Resources"].get("CPU", 0) for node in alive),
        "words": words,
        "same bytes as one local process": True,
        "seconds, one local process": seconds,
        "seconds, nodes": there,
    }
    if given.json:
        print(json.dumps({"machine": machine(), "load": os.getloadavg(), **found}, indent=2))
        return
    for name, value in found.items():
        print(f"{name:<34} {value}")


if __name__ == "__main__":
    main()
