import SwiftletTransport

/// The rule of ``WireText`` for modules above this one, which do not import the transport.
package enum TextComparison {
    /// The most combining marks in a row that text for comparisons may have.
    package static let maxMarkRun = WireText.maxMarkRun

    /// Whether comparing and hashing the text takes linear time.
    package static func isLinear(_ text: String) -> Bool { WireText.hasBoundedMarks(text) }

    /// Whether both texts have the same bytes. Takes linear time for any text.
    package static func isSame(_ left: String, _ right: String) -> Bool { left.hasBytes(of: right) }
}
