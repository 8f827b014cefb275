/// An enum of a `.proto` file. It is a struct, because a sender may send values that this program does not
/// have, and proto3 requires a receiver to keep them.
///
/// ```swift
/// struct Color: OpenEnum {
///     var rawValue: Int32
///     init(rawValue: Int32) { self.rawValue = rawValue }
///     static let red = Color(rawValue: 0)
///     static let green = Color(rawValue: 1)
///
///     var name: String? {
///         switch self {
///         case .red: "RED"
///         case .green: "GREEN"
///         default: nil
///         }
///     }
/// }
/// ```
///
/// The description of a value is its name. If it has no name, its number.
public protocol OpenEnum: RawRepresentable<Int32>, Hashable, Sendable, CustomStringConvertible {
    init(rawValue: Int32)

    /// The name in the `.proto` file, for the text form; nil for a value without one.
    var name: String? { get }
}

extension OpenEnum {
    public init() { self.init(rawValue: 0) }

    public var name: String? { nil }

    public var description: String { name ?? "\(rawValue)" }
}
