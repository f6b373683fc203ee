"""A tree as an ONNX model, for servers and programs without Python (``frugaltree[onnx]``).

One ``TreeEnsembleRegressor`` finds the node where a case ends; answer, bill and probabilities of
the classes are looked up by its number, so that they are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from frugaltree.exceptions import FrugaltreeError
from frugaltree.export.model import INSTEAD, Model, model_of
from frugaltree.kernels.sentinels import NONE
from frugaltree.protocols import Estimator
from frugaltree.table import Column
from frugaltree.table.values import plain

OPSETS = {"": 17, "ai.onnx.ml": 3}
OUTPUTS = ("answer", "bill", "shares")
UNSEEN, MISSING = -1.0, float("nan")


@dataclass
class Ensemble:
    """The attributes of a ``TreeEnsembleRegressor``, node by node."""

    columns: list[int]
    ids: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    true: list[int] = field(default_factory=list)
    false: list[int] = field(default_factory=list)
    tracks: list[int] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)

    def add(self, mode: str, test: int = 0, value: float = 0.0, *, missing: bool = False) -> int:
        """Add a node whose branches are not known yet; return its number."""
        number = len(self.ids)
        self.ids.append(number)
        self.features.append(self.columns.index(test) if mode != "LEAF" else 0)
        self.modes.append(mode)
        self.values.append(value)
        self.true.append(0)
        self.false.append(0)
        self.tracks.append(int(missing))
        return number

    def end(self, node: int) -> int:
        """Add a leaf that tells the number of a node of the tree; return its number."""
        number = self.add("LEAF")
        self.ends.append((number, node))
        return number


def to_onnx(estimator: Estimator) -> bytes:
    """Return a tree as an ONNX model.

    Each column that the tree asks for is an input of shape (cases, 1): numbers as doubles, where
    NaN is missing, everything else as text, where "" is missing. Outputs are ``answer``, ``bill``
    and ``shares``, the probabilities of the classes as ``predict_proba`` gives them.

    Parameters
    ----------
    estimator
        A fitted learner of frugaltree.

    Returns
    -------
    bytes
        The model, to be written to a file. For a learner of the C4.5 family it is exact for
        cases without missing values, and its description says so.

    Examples
    --------
    ::

        Path("model.onnx").write_bytes(to_onnx(learner))
        session = onnxruntime.InferenceSession("model.onnx")
        answers, bills, shares = session.run(None, {"age": ages, "sex": sexes})
    """
    model = model_of(estimator)
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise FrugaltreeError(
            "an ONNX model needs onnx; pip install 'frugaltree[onnx]' brings it."
        ) from None
    # A tree without tests takes a column all the same: it tells how many cases there are.
    tree, asked = model.tree, model.asked or [0]
    names = input_names([tree.columns[test] for test in asked])
    inputs, steps, parts = [], [], []
    for test, name in zip(asked, names, strict=True):
        column = tree.columns[test]
        kind = TensorProto.DOUBLE if column.kind == "numeric" else TensorProto.STRING
        inputs.append(helper.make_tensor_value_info(name, kind, ["cases", 1]))
        part = name
        if column.kind != "numeric":
            part = f"{name}: number"
            steps.append(_encoder(helper, column, name, f"{name}: code"))
            steps.append(
                helper.make_node("Cast", [f"{name}: code"], [part], to=TensorProto.DOUBLE)
            )
        parts.append(part)
    steps += [
        helper.make_node("Concat", parts, ["a case"], axis=1),
        _ensemble(helper, TensorProto, model, asked),
        helper.make_node("Cast", ["the node"], ["its number"], to=TensorProto.INT64),
        helper.make_node("Reshape", ["its number", "a line"], ["the end"]),
    ]
    amounts = [bill.amount for bill in model.bills]
    tables = dict(
        zip(
            OUTPUTS,
            (_labels(tree.answer_names, tree.labels), amounts, model.probabilities),
            strict=True,
        )
    )
    constants = [_constant(helper, TensorProto, "a line", np.array([-1]))]
    outputs, has_dues = [], any(bill.dues for bill in model.bills)
    for name, values in tables.items():
        table = _constant(helper, TensorProto, f"{name} of a node", np.asarray(values))
        constants.append(table)
        target = "due: sure bill" if name == "bill" and has_dues else name
        steps.append(helper.make_node("Gather", [table.name, "the end"], [target], axis=0))
        shape = ["cases", *table.dims[1:]]
        outputs.append(helper.make_tensor_value_info(name, table.data_type, shape))
    if has_dues:
        more, given = _dues(helper, TensorProto, model, asked)
        steps, constants = steps + more, constants + given
    graph = helper.make_graph(
        steps, "frugaltree", inputs, outputs, constants, doc_string=" ".join(model.notes(INSTEAD))
    )
    versions = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    made = helper.make_model(graph, opset_imports=versions, producer_name="frugaltree")
    made.ir_version = helper.find_min_ir_version_for(versions)
    checker.check_model(made)
    return bytes(made.SerializeToString())


def input_names(columns: list[Column]) -> list[str]:
    """Return what the inputs are called: like the columns, unless that is empty or taken.

    >>> input_names([Column("age", "numeric"), Column("", "numeric"), Column("bill", "numeric")])
    ['age', 'column 2', 'column 3']
    """
    taken = {*OUTPUTS, "", "a case", "a line", "the node", "its number", "the end"}
    return [
        f"column {i + 1}" if column.name in taken or ": " in column.name else column.name
        for i, column in enumerate(columns)
    ]


def codes_of(column: Column) -> dict[str, float]:
    """Return the codes of a column's categories by their texts; "" is missing unless it is one.

    >>> codes_of(Column("smoker", "nominal", (False, True)))
    {'False': 0.0, 'True': 1.0, '': nan}
    """
    codes: dict[str, float] = {}
    for code, category in enumerate(column.categories):
        codes.setdefault(str(plain(category)), float(code))
    codes.setdefault("", MISSING)
    return codes


def _encoder(helper: Any, column: Column, source: str, target: str) -> Any:
    """Return the step from the texts of a column to its codes."""
    codes = codes_of(column)
    return helper.make_node(
        "LabelEncoder",
        [source],
        [target],
        domain="ai.onnx.ml",
        keys_strings=list(codes),
        values_floats=list(codes.values()),
        default_float=UNSEEN if column.is_nominal else MISSING,
    )


def _ensemble(helper: Any, proto: Any, model: Model, asked: list[int]) -> Any:
    """Return the step from a case to the number of the node where it ends."""
    made = grown(model, asked)
    n = len(made.ids)
    values = helper.make_tensor("nodes_values", proto.DOUBLE, [n], made.values)
    weights = [float(node) for _, node in made.ends]
    return helper.make_node(
        "TreeEnsembleRegressor",
        ["a case"],
        ["the node"],
        domain="ai.onnx.ml",
        n_targets=1,
        nodes_treeids=[0] * n,
        nodes_nodeids=made.ids,
        nodes_featureids=made.features,
        nodes_modes=made.modes,
        nodes_values_as_tensor=values,
        nodes_truenodeids=made.true,
        nodes_falsenodeids=made.false,
        nodes_missing_value_tracks_true=made.tracks,
        target_treeids=[0] * len(weights),
        target_nodeids=[number for number, _ in made.ends],
        target_ids=[0] * len(weights),
        target_weights_as_tensor=helper.make_tensor("w", proto.DOUBLE, [len(weights)], weights),
    )


Below = tuple[int, list[int], bool]
"""A child, the numbers of the nodes that lead to it, and whether by being true."""


def grown(model: Model, asked: list[int]) -> Ensemble:
    """Return a tree as one of ONNX, which asks of a nominal column one value after the other.

    A value that has no branch ends at the node where it was asked for.
    """
    tree, made = model.tree, Ensemble(asked)
    todo: list[Below] = [(0, [], True)]
    while todo:
        node, above, side = todo.pop()
        number, below = (
            (made.end(node), []) if tree.is_leaf(node) else _asked_at(model, made, node)
        )
        for one in above:
            (made.true if side else made.false)[one] = number
        todo += below
    return made


def _asked_at(model: Model, made: Ensemble, node: int) -> tuple[int, list[Below]]:
    """Add what a node asks; return its first number, and which children go where."""
    tree, way = model.tree, int(model.tree.ways[node])
    test = int(tree.nodes.test[node])
    nominal, own = tree.columns[test].is_nominal, tree.has_own_way(node)
    if own or (way == NONE and not nominal):
        # Whatever is known is at most infinite: what is missing leaves first.
        first = made.add("BRANCH_LEQ", test, float("inf"), missing=False)
        number, below = _known_at(model, made, node)
        made.true[first] = number
        if own:
            return first, [*below, (way, [first], False)]
        made.false[first] = made.end(node)
        return first, below
    return _known_at(model, made, node)


def _known_at(model: Model, made: Ensemble, node: int) -> tuple[int, list[Below]]:
    """Add what a node asks of known values, and of missing ones that go along with some."""
    tree, way = model.tree, int(model.tree.ways[node])
    test, children = int(tree.nodes.test[node]), dict(tree.slots(node))
    if not tree.columns[test].is_nominal:
        cut = float(tree.nodes.threshold[node])
        number = made.add("BRANCH_LEQ", test, cut, missing=children[0] == way)
        return number, [(children[0], [number], True), (children[1], [number], False)]
    numbers = {
        code: made.add("BRANCH_EQ", test, float(code), missing=child == way)
        for code, child in children.items()
    }
    *_, last = numbers.values()
    for number, following in pairwise(numbers.values()):
        made.false[number] = following
    below = [
        (child, [numbers[c] for c in codes], True) for codes, child in tree.branches(node) if codes
    ]
    if node in model.others:
        below.append((model.others[node], [last], False))
    else:
        made.false[last] = made.end(node)
    return next(iter(numbers.values())), below


def _dues(helper: Any, proto: Any, model: Model, asked: list[int]) -> tuple[list[Any], list[Any]]:
    """Return the steps that add to a bill what is due for values that are not missing.

    A test's share of a due is a column of a table of nodes. Of a due the largest share counts
    whose test has a value; a share without a test always does. One due is added after the other.
    """
    table = _shares(model)
    columns, places = list(table), sorted({place for place, _ in table})
    amounts = np.zeros((len(model.bills), len(columns)))
    for column, shares in enumerate(table.values()):
        amounts[list(shares), column] = list(shares.values())
    tables = {
        "due: tests of shares": np.array(
            [[float(test == payer) for _, payer in columns] for test in asked]
        ),
        "due: sure shares": np.array([float(payer == NONE) for _, payer in columns]),
        "due: shares of a node": amounts,
    }
    steps = [
        ("IsNaN", ["a case"], "due: missing", {}),
        ("Not", ["due: missing"], "due: given", {}),
        ("Cast", ["due: given"], "due: given as numbers", {"to": proto.DOUBLE}),
        ("MatMul", ["due: given as numbers", "due: tests of shares"], "due: payers given", {}),
        ("Add", ["due: payers given", "due: sure shares"], "due: charged", {}),
        ("Gather", ["due: shares of a node", "the end"], "due: shares", {"axis": 0}),
        ("Mul", ["due: shares", "due: charged"], "due: shares due", {}),
    ]
    total = ""
    for place in places:
        of_due = f"due: shares at {place}"
        tables[of_due] = np.array([i for i, column in enumerate(columns) if column[0] == place])
        due, found = f"due: at {place}", f"due: shares due at {place}"
        steps.append(("Gather", ["due: shares due", of_due], found, {"axis": 1}))
        steps.append(("ReduceMax", [found], due, {"axes": [1], "keepdims": 0}))
        if total:
            steps.append(("Add", [total, due], f"due: up to {place}", {}))
            due = f"due: up to {place}"
        total = due
    steps.append(("Add", ["due: sure bill", total], "bill", {}))
    made = [helper.make_node(kind, given, [to], **how) for kind, given, to, how in steps]
    return made, [_constant(helper, proto, name, table) for name, table in tables.items()]


def _shares(model: Model) -> dict[tuple[int, int], dict[int, float]]:
    """Return what nodes charge by a due's place and a test, NONE for what hangs on no test."""
    table: dict[tuple[int, int], dict[int, float]] = {}
    for node, bill in enumerate(model.bills):
        for due in bill.dues:
            for share, tests in due.shares:
                for test in tests or (NONE,):
                    table.setdefault((due.place, test), {})[node] = share
    return table


def _labels(names: tuple[Any, ...], labels: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return the answer of each node; answers that are not all of one type become texts."""
    kinds = {type(plain(name)) for name in names}
    whole = kinds <= {bool} or kinds <= {int} or kinds <= {float}
    texts = [plain(name) if whole else str(name) for name in names]
    return np.array(texts)[labels]


def _constant(helper: Any, proto: Any, name: str, values: npt.NDArray[Any]) -> Any:
    """Return values as a constant of a graph."""
    kinds = {"U": proto.STRING, "b": proto.BOOL, "i": proto.INT64, "f": proto.DOUBLE}
    flat = values.ravel().tolist()
    if values.dtype.kind == "U":
        flat = [text.encode() for text in flat]
    return helper.make_tensor(name, kinds[values.dtype.kind], values.shape, flat)
