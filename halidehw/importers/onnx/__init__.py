"""Networks in ONNX files, as ONNX Runtime runs them. Importing this without its two packages is a `NetworkError`."""

from halidehw.errors import NetworkError

try:
    import onnx  # noqa: F401
    import onnxruntime  # noqa: F401
except ModuleNotFoundError as missing:
    raise NetworkError(
        f"networks in ONNX files need the package {missing.name}", legal=("pip install 'halidehw[onnx]'",)
    ) from None

from halidehw.importers.onnx.network import Imported, load_onnx
from halidehw.importers.onnx.quantise import quantise

__all__ = ["Imported", "load_onnx", "quantise"]
