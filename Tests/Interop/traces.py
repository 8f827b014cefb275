"""Reads the file of `swiftlet call --trace-out` with OpenTelemetry's own messages.

usage: traces.py FILE < the output of the call, which shows the traceparent that the server received

Fails if a line is not what a collector reads, or if the server received other IDs than those of the attempt's span.
"""
import base64
import json
import re
import sys

from google.protobuf import json_format
from opentelemetry.proto.trace.v1 import trace_pb2


def with_bytes(value):
    """OpenTelemetry writes IDs as hexadecimal digits, and protobuf's JSON writes bytes as base64."""
    if isinstance(value, list):
        return [with_bytes(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, inner in value.items():
        if key in ("traceId", "spanId", "parentSpanId"):
            made[key] = base64.b64encode(bytes.fromhex(inner)).decode()
        else:
            made[key] = with_bytes(inner)
    return made


spans = []
for line in open(sys.argv[1], encoding="utf-8"):
    traces = json_format.ParseDict(with_bytes(json.loads(line)), trace_pb2.TracesData())
    for resource in traces.resource_spans:
        names = {one.key: one.value.string_value for one in resource.resource.attributes}
        assert names["service.name"] == "swiftlet", names
        for scope in resource.scope_spans:
            spans += scope.spans

received = re.search(r"00-([0-9a-f]{32})-([0-9a-f]{16})-01", sys.stdin.read())
assert received, "the server received no traceparent"
calls = {span.span_id: span for span in spans if span.name == "Sent.helloworld.Greeter.SayHello"}
attempts = [span for span in spans if span.name == "Attempt.helloworld.Greeter.SayHello"]
assert len(calls) == 1 and len(attempts) == 1, [span.name for span in spans]
attempt = attempts[0]
call = calls[attempt.parent_span_id]
assert attempt.trace_id.hex() == received[1] and attempt.span_id.hex() == received[2]
assert call.trace_id == attempt.trace_id and call.kind == trace_pb2.Span.SPAN_KIND_CLIENT
assert call.start_time_unix_nano <= attempt.start_time_unix_nano < attempt.end_time_unix_nano
assert attempt.end_time_unix_nano <= call.end_time_unix_nano
assert [event.name for event in attempt.events if event.name.endswith("message")] == [
    "Outbound message",
    "Inbound message",
], attempt.events
print(f"ok     spans: {len(spans)} read, the server's IDs are those of the attempt")
