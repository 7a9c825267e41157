"""Writes a PyTorch network of a sparse convolution library as files that SpiraScope reads.

    import spira_export
    spira_export.export(model, (voxels,), "net", capture=True)

`export` runs the model once and records what ran. docs/bring-your-network.md explains the use, and which networks can be exported.
"""
from .errors import ExportError
from .export import Summary, export

__all__ = ["ExportError", "Summary", "export"]
