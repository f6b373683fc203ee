"""The command show."""

from __future__ import annotations

import json


def test_a_model_without_a_date_is_shown(call, folder, tmp_path):
    model = json.loads((folder / "eg2.model.json").read_text())
    del model["provenance"]["created"]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(model))
    code, out, err = call("show", path)
    assert code == 0, err
    assert "Made on" not in out
