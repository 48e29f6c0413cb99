"""Networks in TFLite files, as LiteRT's reference kernels compute them: its two roundings, and integers throughout."""

from halidehw.errors import NetworkError

try:
    import flatbuffers  # noqa: F401
except ModuleNotFoundError as missing:
    raise NetworkError(
        f"networks in TFLite files need the package {missing.name}", legal=("pip install 'halidehw[tflite]'",)
    ) from None

from halidehw.importers.tflite.network import Imported, load_tflite

__all__ = ["Imported", "load_tflite"]
