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


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_same_as_onnxruntime(model, data):
    model.fit(data[0])
    graph = model.to_onnx()
    onnx.checker.check_model(onnx.load_from_string(graph), full_check=True)
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    rows = blobs(10_000, seed=5)[0]
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"x": rows})))
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    soft = model.predict_proba(rows)
    np.testing.assert_allclose(found["probabilities"], soft, atol=1e-5)
    np.testing.assert_allclose(found["confidence"], soft.max(1), atol=1e-5)
    assert ("features" in found) == isinstance(model, decant.DEC)
    if "features" in found:
        np.testing.assert_allclose(found["features"], model.transform(rows), atol=1e-4, rtol=1e-4)


def test_what_cannot_predict_says_so(data, tmp_path):
    with pytest.raises(decant.InputError, match="cannot assign rows"):
        decant.SpectralClustering(3, n_jobs=1).fit(data[0]).to_onnx()
    decant.KMeans(3, n_jobs=1).fit(data[0]).to_onnx(tmp_path / "m.onnx")
    onnx.checker.check_model(str(tmp_path / "m.onnx"))
