import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension PlacedFrames {
    /// The result of a read.
    package struct ReadOutcome {
        package let socket: Socket.ReadOutcome
        package fileprivate(set) var arrived = Arrived()
        /// Whether the read filled the free memory. If true, the socket may have more bytes.
        package fileprivate(set) var wasFilled = false
    }

    /// Reads once. Content is appended to `message`, within its capacity. Bytes after the message,
    /// and unexpected bytes, are put into `buffer`, which must be empty.
    ///
    /// - Parameter frameCount: How many frames to expect after this one.
    ///
    /// - Returns: Nil when there is nothing to place.
    package mutating func read(
        from socket: borrowing Socket, expecting frameCount: Int, into message: inout [UInt8],
        _ buffer: inout ReceiveBuffer
    ) throws(SystemError) -> ReadOutcome? {
        precondition(buffer.isEmpty)
        // Reads at most as many bytes as one turn reads into a buffer. After each read, the caller
        // returns bytes to the window, so that the server can send the next bytes before the
        // message is complete.
        let room = min(message.capacity - message.count, ReceiveBuffer.turnByteCount)
        let plan = plan(expecting: frameCount, room: room)
        guard !plan.pieces.isEmpty else { return nil }
        let start = message.count
        // If the plan was cut because of its length, it is continued with the next read.
        let readsOn =
            plan.endsWithFrame
            && (plan.contentByteCount == messageRest || frameCount < Self.expectedFrameLimit)
        var headers = [UInt8](
            repeating: 0, count: Self.expectedFrameLimit * FrameHeader.byteCount)
        let result = Self.receive(
            plan, from: socket, headers: &headers, message: &message, &buffer, readsOn: readsOn)
        var outcome = ReadOutcome(socket: try result.get())
        outcome.arrived = take(
            plan, byteCount: min(result.byteCount, plan.byteCount),
            headers: headers.contiguous.span,
            content: message.contiguous.span.extracting(droppingFirst: start))
        outcome.wasFilled = readsOn ? buffer.wasFilled : result.byteCount == plan.byteCount
        message.removeLast(message.count - start - outcome.arrived.contentByteCount)
        if !outcome.arrived.stray.isEmpty { buffer.prepend(outcome.arrived.stray) }
        return outcome
    }

    private static func receive(
        _ plan: Plan, from socket: borrowing Socket, headers: inout [UInt8],
        message: inout [UInt8], _ buffer: inout ReceiveBuffer, readsOn: Bool
    ) -> Socket.ReadResult {
        let descriptor = socket.descriptor
        var result = Socket.ReadResult.count(0)
        unsafe headers.withUnsafeMutableBytes { headers in
            message.append(addingCapacity: plan.contentByteCount) { content in
                unsafe content.withUnsafeMutableBufferPointer { content, filledByteCount in
                    _ = unsafe buffer.fill { behind in
                        let places = unsafe Places(
                            headers: headers, content: UnsafeMutableRawBufferPointer(content),
                            behind: readsOn ? behind : .init(start: nil, count: 0))
                        result = .of { places.receive(plan, descriptor) }
                        filledByteCount = plan.contentByteCount(ofFirst: result.byteCount)
                        return max(0, result.byteCount - plan.byteCount)
                    }
                }
            }
        }
        return result
    }
}

/// Memory that is valid during one read.
@safe
private struct Places {
    let headers: UnsafeMutableRawBufferPointer
    let content: UnsafeMutableRawBufferPointer
    let behind: UnsafeMutableRawBufferPointer

    init(
        headers: UnsafeMutableRawBufferPointer, content: UnsafeMutableRawBufferPointer,
        behind: UnsafeMutableRawBufferPointer
    ) {
        unsafe self.headers = headers
        unsafe self.content = content
        unsafe self.behind = behind
    }

    /// The system writes at most the size of each place, and slicing checks that it lies within the
    /// memory.
    func receive(_ plan: PlacedFrames.Plan, _ descriptor: CInt) -> Int {
        let count = plan.pieces.count + 1
        return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { vectors in
            for (index, piece) in plan.pieces.enumerated() {
                let place =
                    switch piece {
                    case .header(let range): unsafe headers[range]
                    case .content(let range): unsafe content[range]
                    }
                unsafe Self.put(UnsafeMutableRawBufferPointer(rebasing: place), vectors, index)
            }
            unsafe Self.put(behind, vectors, count - 1)
            var message = unsafe msghdr()
            unsafe message.msg_iov = vectors.baseAddress
            unsafe message.msg_iovlen = .init(behind.isEmpty ? count - 1 : count)
            return unsafe recvmsg(descriptor, &message, 0)
        }
    }

    private static func put(
        _ place: UnsafeMutableRawBufferPointer, _ vectors: UnsafeMutableBufferPointer<iovec>,
        _ index: Int
    ) {
        unsafe vectors.initializeElement(
            at: index, to: iovec(iov_base: place.baseAddress, iov_len: place.count))
    }
}
