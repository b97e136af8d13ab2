"""Whether a file obeys a JSON schema: by the parts of it that our schema uses, and by the package jsonschema where that
is installed."""

import json
import warnings
from typing import Any

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": int | float, "boolean": bool}


def problem(parsed: dict[str, Any], schema: dict[str, Any]) -> str | None:
    """What is wrong with a parsed file, None where nothing is."""
    schema = json.loads(json.dumps(schema))
    wrong = None if _obeys(parsed, schema, schema["$defs"]) else "the file does not obey the schema"
    try:
        import jsonschema
    except ImportError:
        return wrong
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        errors = list(jsonschema.Draft202012Validator(schema).iter_errors(parsed))
    return errors[0].message[:200] if errors else wrong


def _obeys(value, schema: dict, parts: dict) -> bool:
    if "$ref" in schema:
        return _obeys(value, parts[schema["$ref"].split("/")[-1]], parts)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return any(_obeys(value, one, parts) for one in schema[several])
    kind = schema.get("type")
    if kind == "null":
        return value is None
    if kind and not (isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))):
        return False
    if ("const" in schema and value != schema["const"]) or ("enum" in schema and value not in schema["enum"]):
        return False
    if kind == "array":
        return all(_obeys(item, schema.get("items", {}), parts) for item in value)
    if kind == "object":
        named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        return value.keys() >= set(schema.get("required", ())) and all(
            _obeys(item, named[name], parts)
            if name in named
            else others is not False and _obeys(item, {} if others is True else others, parts)
            for name, item in value.items()
        )
    return True
