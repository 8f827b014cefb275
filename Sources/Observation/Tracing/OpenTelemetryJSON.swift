import SwiftletCore

/// Spans in OpenTelemetry's JSON (OTLP/JSON), which collectors read from files and by HTTP.
///
/// ```swift
/// let file = OpenTelemetryJSON.text(of: spans, service: "shop")
/// ```
public enum OpenTelemetryJSON {
    /// One `TracesData` without line breaks, so that a file may have one on each line.
    ///
    /// - Parameters:
    ///   - spans: In any order.
    ///   - service: The program's name: `service.name` of the resource.
    public static func text(of spans: [RecordedSpan], service: String) -> String {
        let resource = object([
            ("attributes", array([text(TraceAttribute("service.name", .text(service)))]))
        ])
        let scope = object([
            ("scope", object([("name", string("swiftlet"))])),
            ("spans", array(spans.map(text(of:)))),
        ])
        let one = object([("resource", resource), ("scopeSpans", array([scope]))])
        return object([("resourceSpans", array([one]))])
    }

    private static func text(of span: RecordedSpan) -> String {
        var members = [
            ("traceId", string(TraceParent.text(span.context.traceID))),
            ("spanId", string(TraceParent.text(span.context.spanID))),
        ]
        if let parentID = span.parentID {
            members.append(("parentSpanId", string(TraceParent.text(parentID))))
        }
        members += [
            ("name", string(span.name)),
            // SPAN_KIND_CLIENT for a call. An attempt is a part of it: SPAN_KIND_INTERNAL.
            ("kind", span.name.hasPrefix("Sent.") ? "3" : "1"),
            ("startTimeUnixNano", time(span.began)),
            ("endTimeUnixNano", time(span.began + span.duration)),
            ("attributes", array(span.attributes.map(text(_:)))),
            (
                "events",
                array(
                    span.events.map { event in
                        object([
                            (
                                "timeUnixNano",
                                time(span.began + span.instant.duration(to: event.instant))
                            ),
                            ("name", string(event.name)),
                            ("attributes", array(event.attributes.map(text(_:)))),
                        ])
                    })
            ),
            ("droppedEventsCount", "\(span.droppedEventCount)"),
            ("status", status(of: span)),
        ]
        return object(members)
    }

    private static func status(of span: RecordedSpan) -> String {
        // STATUS_CODE_OK and STATUS_CODE_ERROR.
        span.code == .ok
            ? object([("code", "1")])
            : object([("code", "2"), ("message", string("\(span.code): \(span.message)"))])
    }

    private static func text(_ attribute: TraceAttribute) -> String {
        let value =
            switch attribute.value {
            case .text(let text): object([("stringValue", string(text))])
            // 64 bits are text in protobuf's JSON.
            case .number(let number): object([("intValue", string("\(number)"))])
            case .flag(let flag): object([("boolValue", "\(flag)")])
            }
        return object([("key", string(attribute.key)), ("value", value)])
    }

    private static func time(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return string("\(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)")
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private static func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }

    private static func string(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
