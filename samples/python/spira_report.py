"""Reads reports of `spira run -o` (docs/file-formats.md). Python 3, standard library only.

    python3 spira_report.py run.spira.json          # environment, totals and the slowest layers
    from spira_report import Report; Report("run.spira.json").layers[0].median_ms
"""
import json
import pathlib
import statistics
import sys

KNOWN_MAJOR = 1


class Layer:
    """A layer of the network as it was measured."""

    def __init__(self, row):
        self.name, self.t = row["name"], row["t"]
        self.outputs, self.pairs = row["outputs"], row["pairs"]
        self.stages = {stage["stage"]: stage["samples"] for stage in row["stages"]}
        self.triplets, self.groups = row.get("triplets"), row.get("groups")  # Only of native layers (since 1.20).
        densities = row.get("densities", {})
        self.density_by_l1 = {group["l1"]: group["mean"] for group in densities.get("by_l1", [])}

    @property
    def fan_in(self):
        """The number of triplets per group of a native layer, otherwise 1."""
        return self.triplets / self.groups if self.groups else 1.0

    @property
    def median_ms(self):
        """Medians of the stages that lie in no other, added up."""
        tops = (samples for path, samples in self.stages.items() if "." not in path.rpartition("]")[2])
        return sum(statistics.median(samples) for samples in tops if samples)


class Report:
    """One run: environment, layers with all samples, totals. `document` is the whole of the JSON."""

    def __init__(self, file):
        self.document = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
        major = self.document.get("schema_version", "0").partition(".")[0]
        if self.document.get("schema") != "spira.report" or major != str(KNOWN_MAJOR):
            raise ValueError(f"{file}: not a report of version {KNOWN_MAJOR}.x")
        self.device, self.scene = self.document["device"]["name"], self.document["scene"]
        self.network, self.trust = self.document["network"]["name"], self.document.get("trust", {}).get("grade", "?")
        self.wall_ms = self.document["totals"]["wall_ms"]["samples"]
        self.graph_ms = self.document["totals"].get("compiled", {}).get("wall_ms", {}).get("samples", [])
        self.layers = [Layer(row) for row in self.document["layers"]]


def main(file):
    report = Report(file)
    print(f"{report.network} on {report.scene['name']}, {report.scene['voxels']:,} voxels, {report.device}")
    for what, samples in (("layer by layer", report.wall_ms), ("as one graph", report.graph_ms)):
        if samples:
            print(f"{what:>14}: median {statistics.median(samples):.3f} ms, n = {len(samples)}, trust {report.trust}")
    for layer in sorted(report.layers, key=lambda one: -one.median_ms)[:5]:
        print(f"{layer.median_ms:10.3f} ms  {layer.name}, t = {layer.t}, {layer.outputs:,} outputs")


if __name__ == "__main__":
    main(*sys.argv[1:2] or sys.exit("usage: spira_report.py REPORT"))
