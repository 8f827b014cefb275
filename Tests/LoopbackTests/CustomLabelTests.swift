import Swiftlet
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Testing

private let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

@Suite("The label of the program in metrics (A108)", .timeLimit(.minutes(5)))
struct CustomLabelTests {
    private func values(
        _ totals: MetricTotals, _ instrument: MetricInstrument
    ) -> [String?: Int] {
        Dictionary(
            totals[instrument].map { labels, total in
                (labels.first { $0.key == MetricLabel.custom }?.value, total.count)
            }, uniquingKeysWith: +)
    }

    @Test("is that of the task that makes the call, in every instrument of calls")
    func recorded() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let instruments: [MetricInstrument] = [
            .attemptStarted, .attemptDuration, .attemptSentSize, .attemptReceivedSize,
            .callDuration,
        ]
        let totals = MetricTotals(instruments, optionalLabels: [MetricLabel.custom])
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let channel = try server.makeChannel(arguments: arguments)
        _ = try await channel.unary(sayHello, HelloRequest())
        try await MetricLabel.withCustomValue("checkout") {
            _ = try await channel.unary(sayHello, HelloRequest())
            async let second = channel.unary(sayHello, HelloRequest())
            _ = try await second
        }
        let call = MetricLabel.withCustomValue("import") {
            channel.unaryCall(sayHello, HelloRequest())
        }
        _ = try await call.response.value
        for instrument in instruments {
            #expect(
                values(totals, instrument) == ["": 1, "checkout": 2, "import": 1],
                "\(instrument)")
        }
    }

    @Test("is left out for a sink that does not record it")
    func leftOut() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let totals = MetricTotals([.callDuration])
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let channel = try server.makeChannel(arguments: arguments)
        try await MetricLabel.withCustomValue("checkout") {
            _ = try await channel.unary(sayHello, HelloRequest())
        }
        #expect(values(totals, .callDuration) == [nil: 1])
    }
}
