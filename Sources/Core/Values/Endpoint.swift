/// One server as a resolver found it: the addresses under which it can be reached, and its
/// attributes.
///
/// Two addresses of one machine, such as IPv4 and IPv6, belong in one endpoint: balancers count and weigh
/// endpoints, not addresses (proposal A61).
public struct Endpoint: Hashable, Sendable {
    /// The addresses, the preferred one first. At least one; an endpoint without any is ignored.
    public var addresses: [ServerAddress]
    /// The attributes of the endpoint.
    public var attributes: EndpointAttributes

    /// An endpoint with one or several addresses.
    public init(_ addresses: [ServerAddress], attributes: EndpointAttributes = .init()) {
        self.addresses = addresses
        self.attributes = attributes
    }
}

extension Endpoint: CustomStringConvertible {
    public var description: String { addresses.map(\.description).joined(separator: ",") }
}

/// The attributes of an endpoint, set by a resolver. Balancers read them; they are not sent.
public struct EndpointAttributes: Hashable, Sendable {
    /// The share of calls relative to the other endpoints, in policies that use weights; 1 by default.
    public var weight: UInt32 = 1
    /// The name that the endpoint's certificate must be valid for. Nil, the default, means the name of the
    /// target.
    public var serverName: String?
    /// The place on the ring of `ring_hash` (proposal A76). Nil, the default, means the place of the first
    /// address.
    public var hashKey: String?
    /// The path through nested policies: `priority` uses the first name, its child policy the second, and so
    /// on (proposal A56). Empty by default.
    public var path: [String] {
        get { Array(names) }
        set { names = newValue[...] }
    }

    /// What metrics say of the endpoint; nil if a control plane has not set it.
    package var labels: BackendLabels?
    /// A slice, so that the shorter paths of the children's endpoints share the names of the first.
    private(set) var names: ArraySlice<String> = []
    private var custom: [ObjectIdentifier: HashableValue] = [:]

    /// Attributes with default values.
    public init() {}

    /// Removes the first name of the path, without allocating memory. Nil if the path is empty.
    package mutating func removeFirstName() -> String? { names.popFirst() }

    /// The value of an attribute that the program defines for its own balancer; nil if it is not set.
    public subscript<Key: EndpointAttributeKey>(key: Key.Type) -> Key.Value? {
        get { custom[ObjectIdentifier(key)]?.value as? Key.Value }
        set { custom[ObjectIdentifier(key)] = newValue.map { HashableValue($0) } }
    }
}

/// A value of any type that can be compared.
///
/// `AnyHashable` is not Sendable; the initializer accepts only Sendable values.
package struct HashableValue: Hashable, @unchecked Sendable {
    private let hashed: AnyHashable

    package init(_ value: some Hashable & Sendable) { hashed = AnyHashable(value) }

    package var value: Any { hashed.base }
}

/// Names an attribute of an endpoint. A program declares one type for each of its attributes.
public protocol EndpointAttributeKey {
    /// The type of the attribute's value.
    associatedtype Value: Hashable & Sendable
}
