public import SwiftletCore

/// Receives the metrics of channels. A program implements it to forward them to a metrics library or a
/// collector.
///
/// ```swift
/// var arguments = ChannelArguments()
/// arguments.metricSinks = [MetricTotals()]
/// ```
///
/// The methods are called on the threads of calls and connections, several at a time. A call or a connection
/// continues only after the method has returned. The library holds no lock during the calls, so a sink may
/// make calls on the channel that it measures, but it must not wait for them.
public protocol MetricSink: AnyObject, Sendable {
    /// Whether values of an instrument are reported. Called once for each channel and instrument,
    /// when the channel is made. By default, the instruments that are on by default are reported.
    func records(_ instrument: MetricInstrument) -> Bool

    /// The keys of the optional labels that the sink records; none by default. Read once for each
    /// channel.
    var optionalLabels: Set<String> { get }

    /// Whether `grpc.method` contains a path that is not a literal of the program. If false, which
    /// is the default, `grpc.method` is `other`. Such paths may come from outside the program, and
    /// each one would be another time series.
    func recordsPath(_ path: String) -> Bool

    /// Adds a value to a counter. The value is at least 0, unless the instrument is an up-down counter.
    func add(_ measurement: MetricMeasurement<Int>)

    /// Records a value in a histogram.
    func record(_ measurement: MetricMeasurement<Double>)
}

/// One value of an instrument.
public struct MetricMeasurement<Value: Hashable & Sendable>: Hashable, Sendable {
    /// In the instrument's unit.
    public let value: Value
    /// The instrument of the value.
    public let instrument: MetricInstrument
    /// In the order of ``MetricInstrument/labelKeys``, then optional ones.
    public let labels: [MetricLabel]

    /// For tests of a sink. In a program, the library makes the measurements.
    public init(_ value: Value, of instrument: MetricInstrument, labels: [MetricLabel]) {
        self.value = value
        self.instrument = instrument
        self.labels = labels
    }
}

extension MetricSink {
    public func records(_ instrument: MetricInstrument) -> Bool { instrument.isOnByDefault }
    public var optionalLabels: Set<String> { [] }
    public func recordsPath(_ path: String) -> Bool { false }
}

/// The sinks of the process.
public enum MetricSinks {
    /// The sinks of channels whose `ChannelArguments.metricSinks` is nil; empty by default. A
    /// change applies to channels that are made afterwards.
    public static var ofProcess: [any MetricSink] {
        get { ChannelObservers.ofProcess.sinks ?? [] }
        set { ChannelObservers.ofProcess.sinks = newValue }
    }
}

extension ChannelArguments {
    /// The sinks of the channel's metrics. Nil, the default, means ``MetricSinks/ofProcess``. A channel
    /// without sinks measures nothing.
    public var metricSinks: [any MetricSink]? {
        get { (meterSource?.value as? ChannelObservers)?.sinks }
        set { observe { $0.sinks = newValue } }
    }
}
