"""ONNX graphs: onnxruntime gives the labels and probabilities of the C library."""

import numpy as np
import pytest
from conftest import SMALL, blobs

import decant

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

MODELS = [
    decant.DEC(3, **SMALL),
    decant.DEC(3, alpha=2.5, scaling="standard", **SMALL),
    decant.DEC(3, method="ae+gmm", **SMALL),
    decant.KMeans(3, n_jobs=1),
    decant.GaussianMixture(3, n_jobs=1),
    decant.GaussianMixture(3, covariance="full", n_jobs=1),
    decant.SEC(3, n_jobs=1),
]


IMAGES = [
    decant.DEC(2, **SMALL),
    decant.DEC(2, preset="best", student_iterations=60, **SMALL),
    decant.DEC(2, method="ae+kmeans", **SMALL),
    decant.DEC(2, method="ae+gmm", covariance="full", **SMALL),
]


def drawings(n, width, height, seed=0):
    """Rows of pixels: four strokes somewhere, all upright or all flat, with soft edges."""
    rng = np.random.default_rng(seed)
    upright = rng.integers(2, size=(n, 1, 1, 1))
    x, y = rng.uniform(0, width, (n, 4, 1, 1)), rng.uniform(0, height, (n, 4, 1, 1))
    wide, high = np.where(upright, 1.2, 4), np.where(upright, 4, 1.2)
    across, down = np.arange(width), np.arange(height)[:, None]
    strokes = np.exp(-(((across - x) / wide) ** 2) - ((down - y) / high) ** 2)
    return (200 * strokes.sum(1)).astype(np.float32).reshape(n, width * height)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_same_as_onnxruntime(model, data):
    check_same(model.fit(data[0]), blobs(10_000, seed=5)[0])


@pytest.mark.parametrize("sides", [(13, 24), (21, 12)], ids=str)
@pytest.mark.parametrize("model", IMAGES, ids=repr)
def test_images_by_their_gradients(model, sides):
    model.fit(drawings(300, *sides))
    names = {node.name for node in onnx.load_from_string(model.to_onnx()).graph.node}
    assert "gradients" in names
    check_same(model, drawings(1000, *sides, seed=5))


def check_same(model, rows):
    graph = model.to_onnx()
    onnx.checker.check_model(onnx.load_from_string(graph), full_check=True)
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"x": rows})))
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    soft = model.predict_proba(rows)
    np.testing.assert_allclose(found["probabilities"], soft, atol=1e-5)
    np.testing.assert_allclose(found["confidence"], soft.max(1), atol=1e-5)
    assert session.run(["label"], {"x": rows[:0]})[0].shape == (0,)
    assert ("features" in found) == isinstance(model, decant.DEC)
    if "features" in found:
        np.testing.assert_allclose(found["features"], model.transform(rows), atol=1e-4, rtol=1e-4)


def test_what_cannot_predict_says_so(data, tmp_path):
    with pytest.raises(decant.InputError, match="cannot assign rows"):
        decant.SpectralClustering(3, n_jobs=1).fit(data[0]).to_onnx()
    decant.KMeans(3, n_jobs=1).fit(data[0]).to_onnx(tmp_path / "m.onnx")
    onnx.checker.check_model(str(tmp_path / "m.onnx"))
