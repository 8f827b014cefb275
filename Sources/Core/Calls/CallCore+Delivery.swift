import Synchronization

// What has come for a call, and was put in its state, is told to its observer: outside the lock, and
// by one thread at a time.

extension CallCore {
    /// Something to tell, and whom. It is moved and never copied: most of its cases are large.
    enum Delivery: ~Copyable {
        case nothing
        case initialMetadata(any CallObserver, Metadata)
        case message(any CallObserver, AssembledMessage, CompressionAlgorithm)
        case messages(any CallObserver, MessageQueue)
        case written(any CallObserver, wasTaken: Bool)
        /// All of a response that has one message at most.
        case response(any CallObserver, RawResponse)
        case end(any CallObserver, CallEnd)
    }

    /// Tells the observer what there is to tell. One thread at a time: who comes while another
    /// is at it leaves it to that one, which looks again after each delivery.
    func deliver() {
        deliver(state.withLock { $0.beginDelivering() })
    }

    /// - Parameter returnsWindow: Whether the stream's window is looked at as well, when there is
    ///   nothing more to tell.
    /// - Returns: How many octets it can be given back for; the caller does so.
    @discardableResult
    func deliver(_ first: consuming Delivery, returnsWindow: Bool = false) -> Int {
        var next = first
        var returnable: Int?
        while true {
            switch consume next {
            case .nothing:
                guard returnsWindow else { return 0 }
                return returnable ?? state.withLock { $0.takeReturnable() }
            case .initialMetadata(let observer, let metadata):
                observer.receive(initialMetadata: metadata)
            case .message(let observer, let message, let algorithm):
                do throws(RPCError) {
                    let octets = try message.decompressed(
                        algorithm, maxByteCount: head.maxReceiveByteCount)
                    observer.receive(message: octets, from: self)
                } catch {
                    end(with: error, isImmediate: true)
                }
            case .messages(let observer, var messages):
                observer.receive(messages: &messages, from: self)
            case .written(let observer, let wasTaken):
                observer.messageWasWritten(wasTaken: wasTaken)
            case .response(let observer, var response):
                complete(&response.end)
                observer.receive(&response, from: self)
                return 0
            case .end(let observer, var end):
                complete(&end)
                observer.receive(end: consume end)
                return 0
            }
            next = state.withLock { state in
                let next = state.goOnDelivering()
                if returnsWindow, !state.isDelivering { returnable = state.takeReturnable() }
                return next
            }
        }
    }
}

extension CallCore.Delivery {
    /// Whether whoever tells this has to look for more.
    fileprivate var isFollowed: Bool {
        switch self {
        case .nothing: false
        case .response: false
        case .end: false
        default: true
        }
    }
}

extension CallCore {
    /// Adds what is known of the way to the end.
    private func complete(_ end: inout CallEnd) {
        end.call = self
        if let error = end.error.take() { end.error = withStory(error) }
    }

    func withStory(_ error: consuming RPCError) -> RPCError {
        let (times, initialMetadata) = state.withLock { ($0.times, $0.initialMetadata) }
        if let initialMetadata, error.initialMetadata.isEmpty {
            error.initialMetadata = initialMetadata
        }
        error.timeline = times.timeline
        if let duration = error.timeline?.duration { error.waited = duration }
        if error.peer == nil, let peer = times.connection?.peer { error.peer = peer }
        return error
    }
}

extension CallCore.State {
    /// The first thing to tell for who comes to tell it; nothing when somebody is at it.
    mutating func beginDelivering() -> CallCore.Delivery {
        isDelivering ? .nothing : goOnDelivering()
    }

    /// The next thing to tell for who is at it; he is no longer when there is nothing.
    fileprivate mutating func goOnDelivering() -> CallCore.Delivery {
        let next = nextDelivery()
        isDelivering = next.isFollowed
        return next
    }

    private mutating func nextDelivery() -> CallCore.Delivery {
        switch ending?.isImmediate {
        case true?: return tellEnd()
        case false? where isWholeResponse: return tellResponse()
        default: break
        }
        guard let observer else { return .nothing }
        if let initialMetadata, !initialWasTold {
            initialWasTold = true
            return .initialMetadata(observer, initialMetadata)
        }
        if unreportedWriteCount > 0 {
            unreportedWriteCount -= 1
            return .written(observer, wasTaken: true)
        }
        // An end that is told now says as much, and a writer that answers each loss with another
        // message must not keep it away.
        if unreportedLossCount > 0, ending == nil || !messages.isEmpty {
            unreportedLossCount -= 1
            return .written(observer, wasTaken: false)
        }
        if demand > 0, !messages.isEmpty {
            if observer.keepsMessages, messages.isPlain { return giveAll(observer) }
            demand -= 1
            if let message = messages.popFirst() {
                return .message(observer, message, decompression)
            }
        }
        if ending != nil, messages.isEmpty { return tellEnd() }
        return .nothing
    }

    /// The first was asked for; the others may lie with the observer as well as here.
    private mutating func giveAll(_ observer: any CallObserver) -> CallCore.Delivery {
        demand -= min(demand, messages.count)
        keptByteCount += messages.byteCount - messages.firstByteCount
        return .messages(observer, messages.takeAll())
    }

    /// Whether nothing of a response was told that is all there now.
    private var isWholeResponse: Bool {
        takesWhole && !initialWasTold && unreportedWriteCount == 0
            && messages.count <= 1
            && demand >= messages.count && messages.isPlain
            && receivedMessageCount == messages.count
    }

    private mutating func tellResponse() -> CallCore.Delivery {
        guard let ending = ending.take(), let observer = observer.take() else { return .nothing }
        initialWasTold = true
        let message = messages.popFirst()?.octets
        return .response(
            observer,
            RawResponse(
                message: message, initialMetadata: initialMetadata.take(), end: ending.end))
    }

    private mutating func tellEnd() -> CallCore.Delivery {
        guard var ending = ending.take(), let observer = observer.take() else { return .nothing }
        ending.end.dropsUnread = ending.isImmediate
        return .end(observer, ending.end)
    }
}
