import Swiftlet

// The parts of etcd's `rpc.proto` and `kv.proto` that the program needs. Other fields are unknown fields.

/// The methods of etcd that are called.
enum Etcd {
    static let put = Method<PutRequest, PutResponse>("/etcdserverpb.KV/Put", .unary)
    static let watch = Method<WatchRequest, WatchResponse>(
        "/etcdserverpb.Watch/Watch", .bidirectional)
    static let leaseGrant = Method<LeaseGrant, KeptLease>(
        "/etcdserverpb.Lease/LeaseGrant", .unary)
    static let leaseKeepAlive = Method<LeaseID, KeptLease>(
        "/etcdserverpb.Lease/LeaseKeepAlive", .bidirectional)

    struct Header: Message {
        var memberID: UInt64 = 0
        var revision: Int64 = 0
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.ResponseHeader" }

        static let layout = Layout<Self> { field in
            field.uint64(2, \.memberID)
            field.int64(3, \.revision)
        }
    }

    struct PutRequest: Message {
        var key: [UInt8] = []
        var value: [UInt8] = []
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.PutRequest" }

        static let layout = Layout<Self> { field in
            field.bytes(1, \.key)
            field.bytes(2, \.value)
        }
    }

    struct PutResponse: Message {
        var header: Header?
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.PutResponse" }

        static let layout = Layout<Self> { field in
            field.message(1, \.header)
        }
    }

    struct WatchRequest: Message {
        var create: WatchCreateRequest?
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.WatchRequest" }

        static let layout = Layout<Self> { field in
            field.message(1, \.create)
        }
    }

    struct WatchCreateRequest: Message {
        var key: [UInt8] = []
        var rangeEnd: [UInt8] = []
        var startRevision: Int64 = 0
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.WatchCreateRequest" }

        static let layout = Layout<Self> { field in
            field.bytes(1, \.key)
            field.bytes(2, \.rangeEnd)
            field.int64(3, \.startRevision)
        }
    }

    struct WatchResponse: Message {
        var header: Header?
        var isCanceled = false
        var cancelReason = ""
        var events: [Event] = []
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.WatchResponse" }

        static let layout = Layout<Self> { field in
            field.message(1, \.header)
            field.bool(4, \.isCanceled)
            field.string(6, \.cancelReason)
            field.message(11, \.events)
        }
    }

    struct Event: Message {
        var keyValue: KeyValue?
        var unknownFields = UnknownFields()

        static var messageName: String { "mvccpb.Event" }

        static let layout = Layout<Self> { field in
            field.message(2, \.keyValue)
        }
    }

    struct KeyValue: Message {
        var key: [UInt8] = []
        var modRevision: Int64 = 0
        var value: [UInt8] = []
        var unknownFields = UnknownFields()

        static var messageName: String { "mvccpb.KeyValue" }

        static let layout = Layout<Self> { field in
            field.bytes(1, \.key)
            field.int64(3, \.modRevision)
            field.bytes(5, \.value)
        }
    }

    struct LeaseGrant: Message {
        var timeToLive: Int64 = 0
        var id: Int64 = 0
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.LeaseGrantRequest" }

        static let layout = Layout<Self> { field in
            field.int64(1, \.timeToLive)
            field.int64(2, \.id)
        }
    }

    struct LeaseID: Message {
        var id: Int64 = 0
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.LeaseKeepAliveRequest" }

        static let layout = Layout<Self> { field in
            field.int64(1, \.id)
        }
    }

    /// `LeaseKeepAliveResponse`, and also `LeaseGrantResponse`, which has the same fields.
    struct KeptLease: Message {
        var id: Int64 = 0
        var timeToLive: Int64 = 0
        var unknownFields = UnknownFields()

        static var messageName: String { "etcdserverpb.LeaseKeepAliveResponse" }

        static let layout = Layout<Self> { field in
            field.int64(2, \.id)
            field.int64(3, \.timeToLive)
        }
    }
}
