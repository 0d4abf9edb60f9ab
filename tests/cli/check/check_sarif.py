"""Is each file named SARIF 2.1.0, as far as check writes it? The members that the schema asks for are there, no others
than it knows, and URIs are such (RFC 3986)."""
import json
import re
import sys

# Of the schema's definitions those that are used: members that are required, others that are written. What a member
# holds: another definition, a list of one, or a type.
DEFINITIONS = {
    "log": ({"version": str, "runs": ["run"]}, {"$schema": str}),
    "run": ({"tool": "tool"}, {"results": ["result"]}),
    "tool": ({"driver": "toolComponent"}, {}),
    "toolComponent": ({"name": str}, {"rules": ["reportingDescriptor"]}),
    "reportingDescriptor": ({"id": str}, {"shortDescription": "multiformatMessageString"}),
    "multiformatMessageString": ({"text": str}, {}),
    "message": ({"text": str}, {}),
    "result": ({"message": "message"}, {"ruleId": str, "level": str, "locations": ["location"], "occurrenceCount": int,
                                        "relatedLocations": ["location"], "stacks": ["stack"]}),
    "stack": ({"frames": ["stackFrame"]}, {"message": "message"}),
    "stackFrame": ({}, {"location": "location"}),
    "location": ({}, {"message": "message", "physicalLocation": "physicalLocation"}),
    "physicalLocation": ({"artifactLocation": "artifactLocation"}, {"region": "region"}),
    "artifactLocation": ({}, {"uri": str}),
    "region": ({"startLine": int}, {}),
}
URI = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?#\[\]]|%[0-9A-F]{2})*")


def compare(value, wanted, place):
    if isinstance(wanted, list):
        assert isinstance(value, list), place
        for i, one in enumerate(value):
            compare(one, wanted[0], f"{place}[{i}]")
    elif isinstance(wanted, str):
        required, others = DEFINITIONS[wanted]
        assert not required.keys() - value.keys(), f"{place} lacks {required.keys() - value.keys()}"
        for name, member in value.items():
            assert name in required or name in others, f"{place}: {name} is no member"
            compare(member, required.get(name) or others[name], f"{place}.{name}")
    else:
        assert type(value) is wanted, f"{place} is {value!r}"
        assert not place.endswith(".uri") or URI.fullmatch(value), f"{place} is no URI: {value}"
        assert not place.endswith(".startLine") or value >= 1, place


for path in sys.argv[1:]:
    with open(path) as file:
        log = json.load(file)
    compare(log, "log", path)
    assert log["version"] == "2.1.0", path
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(set(rules)) == len(rules)
        for result in run["results"]:
            assert result["ruleId"] in rules and result["level"] in ("none", "note", "warning", "error")
            assert result["locations"] and result["occurrenceCount"] >= 1
