"""Model files: a learned tree, its prices and its provenance in one JSON document.

Version 1 is described by ``model.schema.json`` beside this file. Loading looks at values only:
nothing in a file is ever executed, and a learner is found in the fixed table :data:`LEARNERS`.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import shutil
import uuid
import warnings
from collections.abc import Callable, Iterable, Mapping
from numbers import Number
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, NamedTuple, NoReturn

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugaltree import __version__
from frugaltree._sklearn import validate_parameters
from frugaltree.costs import Costs
from frugaltree.costs.toml import as_data, parse
from frugaltree.exceptions import FrugaltreeError, InvalidModel, MissingFile, did_you_mean
from frugaltree.learners.base import CostSensitiveTree
from frugaltree.learners.c45 import C45Classifier
from frugaltree.learners.csid3 import CSID3Classifier
from frugaltree.learners.dtmc import DTMCClassifier
from frugaltree.learners.eg2 import EG2Classifier
from frugaltree.learners.id3 import ID3Classifier
from frugaltree.learners.idx import IDXClassifier
from frugaltree.tree import Tree

FORMAT = "frugaltree model"
VERSION = 1

LEARNERS: dict[str, type[CostSensitiveTree]] = {
    learner.__name__: learner
    for learner in (
        C45Classifier,
        CSID3Classifier,
        DTMCClassifier,
        EG2Classifier,
        ID3Classifier,
        IDXClassifier,
    )
}
"""Every learner that a file may name."""

SECTIONS = (
    "format", "version", "learner", "parameters", "costs",
    "classes", "columns", "tree", "training", "provenance",
)  # fmt: skip
LABEL_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    **{f"{sign}int{bits}": (int,) for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (float,) for bits in (16, 32, 64)},
    "str": (str,),
    "object": (bool, int, float, str),
}
"""NumPy's name for the type of ``classes_``, and the labels that go with it."""

TERMINATIONS = (
    "completed", "optimal", "gap", "time_limit", "memory_limit", "steps", "callback",
    "interrupted",
)  # fmt: skip


class _DefectError(ValueError):
    """What is wrong with a model, as the middle of a sentence."""


def _expect(holds: bool, where: str, wanted: str, got: object) -> None:
    if not holds:
        raise _DefectError(f"{where} must be {wanted}, but is {shortened(got)}")


# ------------------------------------------------------------------ fitted attributes


def _read_amount(value: Any, where: str, tree: Tree) -> float:
    _expect(_is_amount(value), where, "a finite number, 0 or more", value)
    return float(value)


def _read_shares(value: Any, where: str, tree: Tree) -> Any:
    shares = _read_list(value, where, len(tree.classes))
    for i, share in enumerate(shares):
        _expect(_is_amount(share) and share <= 1, f"{where}[{i}]", "between 0 and 1", share)
    return np.array(shares, np.float64)


def _read_usage(value: Any, where: str, tree: Tree) -> dict[str, float]:
    names = [column.name for column in tree.columns]
    _check_keys(value, where, names)
    return {name: _read_amount(value[name], f"{where}.{name}", tree) for name in names}


def _read_termination(value: Any, where: str, tree: Tree) -> str:
    _expect(value in TERMINATIONS, where, f"one of {', '.join(TERMINATIONS)}", value)
    return str(value)


class Kept(NamedTuple):
    """How a fitted attribute comes back from a file; an optional one may be missing there."""

    read: Callable[[Any, str, Tree], Any]
    optional: bool = False


FITTED = {
    "class_frequencies_": Kept(_read_shares),
    "test_usage_": Kept(_read_usage),
    "expected_test_cost_": Kept(_read_amount),
    "expected_error_cost_": Kept(_read_amount),
    "expected_cost_": Kept(_read_amount),
    "termination_": Kept(_read_termination),
}
"""The fitted attributes in ``training``, where they stand without the underscore at the end."""


# ------------------------------------------------------------------------------- save


def save_model(
    estimator: Any, path: str | os.PathLike[str], *, data_digest: str | None = None
) -> None:
    """Write a fitted learner to a JSON file.

    The file is replaced at once: whatever goes wrong, a file that was there before survives.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.
    path
        Where to write.
    data_digest
        A fingerprint of the training data, kept in the file for people to compare.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from frugaltree import Costs, EG2Classifier, load_model, save_model
    >>> model = EG2Classifier(Costs([9, 4])).fit([[0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "model.json")
    ...     copy = load_model(Path(folder) / "model.json")
    >>> copy.predict([[1, 1]]), copy.bill([[1, 1]])
    (array([1]), array([4.]))
    """
    if LEARNERS.get(type(estimator).__name__) is not type(estimator):
        raise InvalidModel(
            f"a {type(estimator).__name__} cannot be kept in a model file; pass a fitted learner "
            f"of frugaltree itself, one of {', '.join(LEARNERS)}."
        )
    check_is_fitted(estimator)
    try:
        text = _laid_out(_describe(estimator, data_digest))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _restore(_parse(text))
    except _DefectError as defect:
        raise InvalidModel(
            f"this model cannot be kept in a file, because {defect}; fit it without that."
        ) from None
    _replace(Path(path), text.encode("utf-8", "backslashreplace"))


def _describe(estimator: Any, data_digest: str | None) -> dict[str, Any]:
    """Return the model as plain values, section by section."""
    tree = estimator.tree_.to_dict()
    columns, classes = tree.pop("columns"), _plain(tree.pop("classes"))
    for column in columns:
        column["categories"] = [_plain_category(value) for value in column["categories"]]
    costs = estimator.costs
    return {
        "format": FORMAT,
        "version": VERSION,
        "learner": type(estimator).__name__,
        "parameters": _parameters(estimator),
        "costs": None if costs is None else as_data(costs),
        "classes": {"dtype": _label_type(estimator.classes_.dtype), "values": classes},
        "columns": columns,
        "tree": tree,
        "training": {
            "cases": float(estimator.tree_.weights[0]),
            "named_columns": hasattr(estimator, "feature_names_in_"),
            **{
                name.removesuffix("_"): _plain(getattr(estimator, name))
                for name in FITTED
                if hasattr(estimator, name)
            },
        },
        "provenance": _provenance(estimator, data_digest),
    }


def _provenance(estimator: Any, data_digest: str | None) -> dict[str, Any]:
    """Return what tells how a model came about; nobody computes with it."""
    digest = {} if data_digest is None else {"data_digest": str(data_digest)}
    return {
        "frugaltree": __version__,
        "python": platform.python_version(),
        "random_state": _parameters(estimator).get("random_state"),
        "created": datetime.datetime.now(datetime.UTC).date().isoformat(),
        **digest,
    }


def _parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that JSON can hold; a live random state becomes null."""
    plain = {name: _plain(v) for name, v in estimator.get_params(deep=False).items()}
    if not isinstance(plain.get("random_state"), int | None):
        plain["random_state"] = None
    return {name: v for name, v in plain.items() if name != "costs" and _is_json(v)}


def _plain(value: Any) -> Any:
    """Return arrays and NumPy's scalars as Python's own values."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(element) for key, element in value.items()}
    return [_plain(element) for element in value] if isinstance(value, list | tuple) else value


def _plain_category(value: Any) -> Any:
    """Return a category as a bool, number or text; tables are matched by its text anyway."""
    value = _plain(value)
    if isinstance(value, bool | int | float | str):
        return value
    return float(value) if isinstance(value, Number) else str(value)  # type: ignore[arg-type]


def _label_type(dtype: np.dtype[Any]) -> str:
    name = "str" if dtype.kind == "U" else dtype.name
    if name not in LABEL_TYPES:
        raise _DefectError(
            f"its class labels are of type {dtype}, not text, whole numbers or booleans"
        )
    return name


def _laid_out(model: Mapping[str, Any]) -> str:
    """Return JSON text with a line for each entry of each section."""
    sections = []
    for name, section in model.items():
        text = _dumped(section)
        if isinstance(section, dict) and section:
            entries = [f"{_dumped(key)}: {_dumped(value)}" for key, value in section.items()]
            text = "{\n    " + ",\n    ".join(entries) + "\n  }"
        elif isinstance(section, list):
            text = "[\n    " + ",\n    ".join(_dumped(value) for value in section) + "\n  ]"
        sections.append(f"  {_dumped(name)}: {text}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise _DefectError("it holds a number that is infinite or undefined") from None
    except TypeError as error:
        raise _DefectError(f"it holds a value that JSON has no form for ({error})") from None


def _replace(path: Path, content: bytes) -> None:
    """Write a file at once: whoever reads it meanwhile sees the old one or the new one."""
    path = path.resolve()  # what a link points to is replaced, not the link
    if path.is_dir():
        raise FrugaltreeError(f"{path} is a folder; add a file name to save the model in it.")
    if not path.parent.is_dir():
        raise MissingFile(f"the folder {path.parent} does not exist; create it to save a model.")
    draft = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        os.replace(draft, path)
    except OSError as error:
        raise FrugaltreeError(
            f"the model cannot be written to {path} ({error.strerror or error}); free the place "
            "or choose another."
        ) from error
    finally:
        draft.unlink(missing_ok=True)


# ------------------------------------------------------------------------------- load


def load_model(path: str | os.PathLike[str]) -> Any:
    """Return the fitted learner in a file that :func:`save_model` has written.

    It answers, charges and scores exactly as the one that was saved. Everything in the file is
    checked before it is used, and none of it is executed.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    estimator
        A fitted learner, of the class that was saved.

    Raises
    ------
    MissingFile
        There is no such file.
    InvalidModel
        The file is damaged, foreign, or newer than this version of frugaltree.

    Examples
    --------
    >>> load_model("no-such-model.json")
    Traceback (most recent call last):
    frugaltree.exceptions.MissingFile: the model file no-such-model.json does not exist; check the
    path.
    """
    try:
        return _restore(_parse(_read_text(Path(path))))
    except _DefectError as defect:
        raise InvalidModel(f"{path} is damaged: {defect}; save the model again.") from None
    except InvalidModel as error:
        raise InvalidModel(f"{path} {error}") from None


def _read_text(path: Path) -> str:
    """Return the text of a file, with or without the mark some editors put in front."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise MissingFile(f"the model file {path} does not exist; check the path.") from None
    except UnicodeDecodeError:
        raise InvalidModel("is not UTF-8 text, so no model file; check the path.") from None
    except OSError as error:
        if path.is_dir():
            raise InvalidModel("is a folder, not a model file; add the file name.") from None
        raise InvalidModel(
            f"cannot be read ({error.strerror or error}); check the rights to it."
        ) from error


def _parse(text: str) -> Any:
    """Return the values in JSON text: no NaN, no key twice."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_distinct)
    except _DefectError:
        raise
    except json.JSONDecodeError as error:
        raise InvalidModel(
            f"is not valid JSON (line {error.lineno}, column {error.colno}: {error.msg}), perhaps "
            "cut short; save the model again."
        ) from None
    except RecursionError:
        raise _DefectError("it is nested too deeply") from None
    except ValueError:
        raise _DefectError("it holds a number with too many digits") from None


def _refuse_constant(name: str) -> NoReturn:
    raise _DefectError(f"it holds {name}, which is no number of JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _DefectError(f"it has the key {twice!r} twice in one place")
    return data


def _restore(data: Any) -> Any:
    """Return the estimator that a document describes, after checking every part of it."""
    learner = _read_head(data)
    estimator = _read_estimator(learner, data["parameters"], data["costs"])
    classes = _read_classes(data["classes"])
    _check_columns(data["columns"])
    _check_tree(data["tree"], data["columns"], len(classes), learner._fractional)
    tree = Tree.from_dict(
        {**data["tree"], "columns": data["columns"], "classes": classes.tolist()}
    )
    _check_costs(estimator.costs, tree)
    _expect(isinstance(data["provenance"], dict), "provenance", "an object", data["provenance"])
    estimator.tree_ = tree
    estimator.classes_ = classes
    _set_training(estimator, data["training"])
    return estimator


def _read_head(data: Any) -> type[CostSensitiveTree]:
    """Return the learner of a document that this version can read."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidModel("is not a frugaltree model; give a file that save_model has written.")
    version: Any = data.get("version")
    _expect(_is_whole(version) and version >= 1, "version", "a whole number from 1", version)
    if version > VERSION:
        raise InvalidModel(
            f"is a model of version {version}, but frugaltree {__version__} reads versions up to "
            f"{VERSION}; upgrade frugaltree."
        )
    _check_keys(data, "the model", SECTIONS)
    name = data["learner"]
    _expect(isinstance(name, str), "learner", "the name of a learner", name)
    if name not in LEARNERS:
        raise InvalidModel(
            f"names the learner {shortened(name)}, which frugaltree {__version__} does not have; "
            f"upgrade frugaltree or correct the name.{did_you_mean(name, LEARNERS)}"
        )
    return LEARNERS[name]


def _read_estimator(learner: type[CostSensitiveTree], parameters: Any, costs: Any) -> Any:
    """Return an unfitted learner with these parameters."""
    known = [name for name in learner._get_param_names() if name != "costs"]
    _check_keys(parameters, "parameters", (), optional=known)
    estimator = learner(costs=_read_costs(costs), **parameters)
    try:
        validate_parameters(estimator)
    except (TypeError, ValueError) as error:
        raise _DefectError(f"in its parameters, {str(error).rstrip('.')}") from None
    return estimator


def _read_costs(data: Any) -> Costs | None:
    if data is None:
        return None
    _expect(isinstance(data, dict), "costs", "an object or null", data)
    try:
        return parse(data)
    except (TypeError, ValueError) as error:
        raise _DefectError(f"in its costs, {str(error).rstrip('.')}") from None


def _check_costs(costs: Costs | None, tree: Tree) -> None:
    """Check that the costs fit the columns and classes, as bills and scores need it."""
    try:
        (costs or Costs()).resolve([column.name for column in tree.columns], tree.classes)
    except FrugaltreeError as error:
        raise _DefectError(f"its costs do not fit its tree, {str(error).rstrip('.')}") from None


def _read_classes(data: Any) -> Any:
    """Return the class labels as the array that ``classes_`` was."""
    _check_keys(data, "classes", ("dtype", "values"))
    dtype, values = data["dtype"], _read_list(data["values"], "classes.values")
    known = isinstance(dtype, str) and dtype in LABEL_TYPES
    _expect(known, "classes.dtype", f"one of {', '.join(LABEL_TYPES)}", dtype)
    for i, label in enumerate(values):
        fits = type(label) in LABEL_TYPES[dtype] and _is_value(label)
        _expect(fits, f"classes.values[{i}]", f"a label of type {dtype}", label)
    distinct = bool(values) and len(set(values)) == len(values)
    _expect(distinct, "classes.values", "one or more distinct labels", values)
    try:
        return np.array(values, dtype)
    except OverflowError:
        raise _DefectError(f"classes.values holds a number too large for {dtype}") from None


def _check_columns(columns: Any) -> None:
    for i, column in enumerate(_read_list(columns, "columns")):
        where = f"columns[{i}]"
        _check_keys(column, where, ("name", "kind", "categories"))
        _expect(isinstance(column["name"], str), f"{where}.name", "text", column["name"])
        kinds = ("numeric", "nominal", "ordinal")
        _expect(
            column["kind"] in kinds, f"{where}.kind", f"one of {', '.join(kinds)}", column["kind"]
        )
        categories = _read_list(column["categories"], f"{where}.categories")
        for j, value in enumerate(categories):
            wanted = "text, a finite number or a boolean"
            _expect(_is_value(value), f"{where}.categories[{j}]", wanted, value)
        distinct = len({(type(value), value) for value in categories}) == len(categories)
        _expect(distinct, f"{where}.categories", "distinct values", categories)
        is_bare = column["kind"] != "numeric" or not categories
        _expect(is_bare, f"{where}.categories", "empty for a numeric column", categories)
    names = [column["name"] for column in columns]
    _expect(bool(names), "columns", "one column or more", columns)
    _expect(len(set(names)) == len(names), "columns", "distinct by name", names)


def _check_tree(tree: Any, columns: list[Any], n_classes: int, fractional: bool) -> None:
    """Check every node, and that the nodes are one tree in preorder."""
    lists = ("test", "threshold", "children", "counts", "labels")
    _check_keys(tree, "tree", ("fractional", *lists))
    got = tree["fractional"]
    _expect(got is fractional, "tree.fractional", f"{fractional} for this learner", got)
    n_nodes = len(_read_list(tree["test"], "tree.test"))
    _expect(n_nodes > 0, "tree.test", "one node or more", tree["test"])
    rows = [_read_list(tree[name], f"tree.{name}", n_nodes) for name in lists]
    for node, (test, threshold, children, counts, label) in enumerate(zip(*rows, strict=True)):
        is_test = test is None or (_is_whole(test) and 0 <= test < len(columns))
        _expect(is_test, f"tree.test[{node}]", "null or the position of a column", test)
        column = None if test is None else columns[test]
        _check_threshold(threshold, column, f"tree.threshold[{node}]")
        _check_children(children, column, f"tree.children[{node}]")
        _check_counts(counts, n_classes, f"tree.counts[{node}]")
        is_label = _is_whole(label) and 0 <= label < n_classes
        _expect(is_label, f"tree.labels[{node}]", "the position of a class", label)
    _check_preorder(tree["children"])


def _check_threshold(threshold: Any, column: Any, where: str) -> None:
    if column is None or column["kind"] == "nominal":
        _expect(threshold is None, where, "null, for nothing is cut there", threshold)
        return
    _expect(_is_number(threshold), where, "a finite number", threshold)
    last = len(column["categories"]) - 1
    in_order = column["kind"] == "numeric" or 0 <= threshold <= last
    _expect(in_order, where, f"between 0 and {last}, the ends of its column", threshold)


def _check_children(children: Any, column: Any, where: str) -> None:
    width = 0
    if column is not None:
        width = len(column["categories"]) if column["kind"] == "nominal" else 2
    _read_list(children, where, width)
    for child in children:
        _expect(child is None or _is_whole(child), where, "a list of nodes and nulls", children)
    has_child = column is None or any(child is not None for child in children)
    _expect(has_child, where, "a list with a child, for a test is asked there", children)


def _check_counts(counts: Any, n_classes: int, where: str) -> None:
    _read_list(counts, where, n_classes)
    for i, count in enumerate(counts):
        _expect(_is_amount(count), f"{where}[{i}]", "a finite number, 0 or more", count)
    _expect(0 < sum(counts) < math.inf, where, "the counts of at least one case", counts)


def _check_preorder(children: list[list[int | None]]) -> None:
    """Check that a walk from the root, left to right, meets node 0, 1, 2, ... and all of them.

    So each node but the root has exactly one parent, which stands before it.
    """
    stack, met = [0], 0
    while stack:
        node = stack.pop()
        if node != met or node >= len(children):
            raise _DefectError(
                f"tree.children leads to node {shortened(node)} where node {met} of "
                f"{len(children)} must come next"
            )
        stack += [child for child in reversed(children[node]) if child is not None]
        met += 1
    _expect(met == len(children), "tree.children", f"a tree of {len(children)} nodes", met)


def _set_training(estimator: Any, training: Any) -> None:
    """Set what the fit has left beside the tree."""
    tree = estimator.tree_
    kept = {name.removesuffix("_"): how for name, how in FITTED.items()}
    always = [key for key, how in kept.items() if not how.optional]
    _check_keys(training, "training", ("cases", "named_columns", *always), optional=kept)
    _read_amount(training["cases"], "training.cases", tree)
    named = training["named_columns"]
    _expect(isinstance(named, bool), "training.named_columns", "true or false", named)
    estimator.n_features_in_ = len(tree.columns)
    if named:
        estimator.feature_names_in_ = np.array([c.name for c in tree.columns], dtype=object)
    for key, how in kept.items():
        if key in training:
            setattr(estimator, f"{key}_", how.read(training[key], f"training.{key}", tree))


# ----------------------------------------------------------------------------- values


def _check_keys(
    data: Any, where: str, keys: Iterable[str], *, optional: Iterable[str] = ()
) -> None:
    """Check that an object has these keys, perhaps some optional ones, and no others."""
    _expect(isinstance(data, dict), where, "an object", data)
    required = tuple(keys)
    for key in required:
        if key not in data:
            raise _DefectError(f"{where} lacks {key!r}")
    known = {*required, *optional}
    for key in data:
        if key not in known:
            raise InvalidModel(
                f"has the unknown key {shortened(key)} in {where}; correct the key or take it out."
                f"{did_you_mean(key, known)}"
            )


def _read_list(value: Any, where: str, length: int | None = None) -> list[Any]:
    fits = isinstance(value, list) and length in (None, len(value))
    _expect(fits, where, "a list" if length is None else f"a list of {length}", value)
    items: list[Any] = value
    return items


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the range of floats
        return False


def _is_amount(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _is_value(value: object) -> bool:
    """Tell whether a value can be a label or a category."""
    return isinstance(value, bool | str) or _is_number(value)


def _is_json(value: object) -> bool:
    """Tell whether JSON can hold a parameter."""
    if isinstance(value, list):
        return all(_is_json(element) for element in value)
    return value is None or _is_value(value)
