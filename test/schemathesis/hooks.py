"""What Schemathesis is told about Outpost: which bodies that fit their schema are refused all the same, and why.

JSON Schema says what one field may hold. It cannot say that a name is taken, that a certificate belongs to its key, or that one field excludes another one that is stored.
Each such refusal is listed in `explained.json` beside this file: the path of the field, what the answer says of it, and why. A refusal that is not there fails the run.
"""

import json
import os
import re
from collections import Counter
from pathlib import Path

import schemathesis

HERE = Path(__file__).parent
EXPLAINED = [
    (re.compile(one["path"]), re.compile(one["says"]), one["why"]) for one in json.loads((HERE / "explained.json").read_text())
]
counts: Counter[str] = Counter()
unexplained: dict[str, str] = {}
# Their bodies hold the bodies of other operations, each held to its own type's schema: the payload of a resource, a check that is tried, a call.
NESTS = re.compile(r"/(projects/deploy|test-sessions/run|changes)$")
NESTED = "What stands inside the body is the body of another operation, and is held to that."
REPORT = os.environ.get("OUTPOST_SCHEMATHESIS_REPORT")


def why(path: str, message: str) -> str | None:
    return next((reason for of, says, reason in EXPLAINED if of.search(path) and says.search(message)), None)


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    """Fields that a body may bring and that are ignored, whatever they hold (behaviour 1), are none to be negated."""
    raw_schema["paths"] = without_ignored(raw_schema["paths"])
    raw_schema["components"]["schemas"] = without_ignored(raw_schema["components"]["schemas"])
    # A badge is an image in somebody's page: it says "unknown" of what is not there, and no path of it is wrong.
    for path, operations in raw_schema["paths"].items():
        if path.startswith("/v1/badges/"):
            for parameter in (one for operation in operations.values() for one in operation["parameters"] if one.get("in") == "path"):
                parameter["schema"] = {"type": "string", "minLength": 1}


def without_ignored(node):
    if isinstance(node, list):
        return [without_ignored(one) for one in node]
    if not isinstance(node, dict):
        return node
    properties = node.get("properties")
    if isinstance(properties, dict):
        kept = {name: one for name, one in properties.items() if not is_ignored(one)}
        node = {**node, "properties": kept}
    return {name: without_ignored(one) for name, one in node.items()}


def is_ignored(field) -> bool:
    if not isinstance(field, dict):
        return False
    return field.get("readOnly") is True or str(field.get("description", "")).startswith("accepted and ignored")


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """A wait that is as long as it may be finds no more than a short one."""
    if "maxWaitSeconds" in {parameter.name for parameter in case.operation.query}:
        given = (case.query or {}).get("maxWaitSeconds", 30)
        if isinstance(given, int) and 1 < given <= 30:
            case.query = {**(case.query or {}), "maxWaitSeconds": 1}


@schemathesis.check
def explained_refusals(ctx, response, case):
    """In the place of `positive_data_acceptance`, which knows no reasons."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 413, 422):
        return None
    data = getattr(case.meta.phase, "data", None)
    if "UNSPECIFIED" in str(getattr(data, "scenario", "")):
        return None
    told = response.json()
    issues = (told.get("attributes") or {}).get("issues") or [{"path": "", "message": told["message"]}]
    for issue in issues:
        reason = why(issue["path"], issue["message"]) or (NESTED if NESTS.search(case.operation.path) else None)
        key = f"{issue['path']}: {issue['message']}"
        if reason is None:
            unexplained.setdefault(f"{case.operation.label} {key}"[:500], json.dumps(case.body, default=str)[:1_000])
            note()
            raise AssertionError(f"refused without an explanation: {key}"[:500])
        counts[reason] += 1
    note()
    return None


def note() -> None:
    if REPORT is not None:
        Path(REPORT).write_text(json.dumps({"explained": counts.most_common(), "unexplained": unexplained}, indent=1))
