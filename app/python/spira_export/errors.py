"""The error class of the package."""


class ExportError(Exception):
    """Stops an export. The message is one line that names the layer or file, the fault and, if there is one, the remedy."""

    def __init__(self, message):
        super().__init__(" ".join(str(message).split()))
