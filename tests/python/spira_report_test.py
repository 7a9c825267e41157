"""The Python reader understands the reports that come with the program."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
sys.path.insert(0, str(SAMPLES / "python"))
import spira_report  # noqa: E402


class ReaderTest(unittest.TestCase):
    def test_medians_of_layers_and_indexing_are_the_sum_of_stages(self):
        files = sorted((SAMPLES / "reports").glob("*.spira.json"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(file.name):
                report = spira_report.Report(file)
                totals = report.document["totals"]
                indexing = sum(statistics.median(stage["samples"]) for stage in report.document["indexing"] if "." not in stage["stage"])
                self.assertAlmostEqual(indexing + sum(layer.median_ms for layer in report.layers), totals["sum_of_stages_ms"], places=6)
                self.assertEqual(statistics.median(report.wall_ms), totals["wall_ms"]["stats"]["median"])
                self.assertEqual(report.layers[0].density_by_l1[0], 1.0)

    def test_reads_the_fan_in_of_native_layers(self):
        document = json.loads((SAMPLES / "reports" / "h100-resn21-street.spira.json").read_text(encoding="utf-8"))
        document["layers"][0].update(triplets=300, groups=200)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "native.json"
            file.write_text(json.dumps(document))
            layers = spira_report.Report(file).layers
        self.assertEqual((layers[0].triplets, layers[0].fan_in), (300, 1.5))
        self.assertEqual((layers[1].triplets, layers[1].fan_in), (None, 1.0))

    def test_prints_the_run(self):
        file = SAMPLES / "reports" / "h100-resn21-street.spira.json"
        done = subprocess.run([sys.executable, SAMPLES / "python" / "spira_report.py", file], capture_output=True, text=True, check=True)
        self.assertIn("NVIDIA H100", done.stdout)
        self.assertIn("n = 30", done.stdout)

    def test_refuses_documents_that_are_not_reports_of_its_version(self):
        with tempfile.TemporaryDirectory() as folder:
            for document in ({"schema": "spira.tune", "schema_version": "1.0"}, {"schema": "spira.report", "schema_version": "2.0"}):
                file = pathlib.Path(folder) / "other.json"
                file.write_text(json.dumps(document))
                with self.assertRaises(ValueError):
                    spira_report.Report(file)


if __name__ == "__main__":
    unittest.main()
