public import SwiftletMessages

// The messages of helloworld.proto.

/// The name to greet.
public struct HelloRequest: Message {
    public var name = ""
    public var unknownFields = UnknownFields()

    @inlinable
    public init() {}

    @inlinable
    public init(name: String = "") {
        self.name = name
    }

    @inlinable public static var messageName: String { "helloworld.HelloRequest" }

    @inlinable
    public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
        try field.string(1, &name)
    }
}

/// The greeting.
public struct HelloReply: Message {
    public var message = ""
    public var unknownFields = UnknownFields()

    @inlinable
    public init() {}

    @inlinable
    public init(message: String = "") {
        self.message = message
    }

    @inlinable public static var messageName: String { "helloworld.HelloReply" }

    @inlinable
    public mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
        try field.string(1, &message)
    }
}
