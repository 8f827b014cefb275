// What Swift's own module adds to Darwin's C library, as far as it is used: for type checking alone.
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
