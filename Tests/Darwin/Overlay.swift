// The declarations that Swift's own module adds to Darwin's C library, as far as this package uses them. Only
// for type checking.
@_exported import CDarwin

public var errno: Int32 {
    get { __error().pointee }
    set { __error().pointee = newValue }
}

/// For variadic functions, which Swift does not import.
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 {
    fatalError("\(path) \(flags) is never opened")
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    fatalError("\(path) \(flags) \(mode) is never opened")
}

public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 {
    fatalError("\(descriptor) \(command) is never called")
}

public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 {
    fatalError("\(descriptor) \(command) \(value) is never called")
}

// Constants whose definitions in C have a form that Swift does not import.
public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
public var CLOCK_MONOTONIC_RAW: clockid_t { _CLOCK_MONOTONIC_RAW }
public var CLOCK_UPTIME_RAW: clockid_t { _CLOCK_UPTIME_RAW }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
