public import SwiftletMessages

// The messages of helloworld.proto.

/// The name to greet.
public struct HelloRequest: Message {
    public var name = ""
    public var unknownFields = UnknownFields()

    public init() {}

    public init(name: String = "") {
        self.name = name
    }

    public static var messageName: String { "helloworld.HelloRequest" }

    public static let layout = Layout<Self> { field in
        field.string(1, \.name)
    }
}

/// The greeting.
public struct HelloReply: Message {
    public var message = ""
    public var unknownFields = UnknownFields()

    public init() {}

    public init(message: String = "") {
        self.message = message
    }

    public static var messageName: String { "helloworld.HelloReply" }

    public static let layout = Layout<Self> { field in
        field.string(1, \.message)
    }
}
