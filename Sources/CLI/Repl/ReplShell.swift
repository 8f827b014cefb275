import SwiftletDynamic
import SwiftletLoopback
import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads the standard input for a ``ReplSession``: keys of a terminal, or lines of a file.
struct ReplShell {
    private enum Event: Sendable {
        case input([UInt8])
        case endOfInput(status: Int32)
        /// The bytes of a response in a conversation.
        case output([UInt8])
        case commandEnded((any Error)?)
    }

    private static let prompt = "> "

    private let session: ReplSession
    private let completer: ReplCompleter
    private let isTerminal: Bool
    private var decoder = KeyDecoder()
    private var editor: LineEditor
    private var view: LineView
    /// Whether the terminal shows the text as it is. Keys that arrive together, as those of a paste do, are drawn once.
    private var isDrawn = true
    /// The running command.
    private var command: Task<Void, Never>?
    /// The conversation that the command is, and the receiver of its requests, until their end.
    private var open: (conversation: ReplConversation, requests: AsyncStream<[UInt8]>.Continuation)?
    /// The keys that are typed while the command runs.
    private var pending = Backlog<Key>()
    /// The exit status of the last command that failed, or of the input if it cannot be read; 0 if nothing has
    /// failed.
    private(set) var failureStatus: Int32 = 0
    /// Whether the input has ended.
    private var isAtEnd = false
    /// Whether the user has ended the shell.
    private var hasLeft = false
    private var historyFile: HistoryFile?

    init(_ session: ReplSession, isTerminal: Bool) {
        self.session = session
        self.isTerminal = isTerminal
        completer = ReplCompleter(schema: session.schema)
        historyFile = isTerminal ? HistoryFile() : nil
        editor = LineEditor(history: LineHistory(file: historyFile?.content ?? []))
        view = LineView(prompt: Self.prompt)
    }

    /// Runs until the end of the input, or until `exit`.
    mutating func run() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let reader = InputReader(descriptor: 0)
        let reading = Task {
            var status: Int32 = 0
            do {
                while case let bytes = try await reader.next(), !bytes.isEmpty {
                    continuation.yield(.input(bytes))
                }
            } catch let error as FileError {
                printToStandardError("swiftlet: \(error)")
                status = ExitStatus.of(error)
            } catch {
                // The shell has ended, and reads no more.
            }
            continuation.yield(.endOfInput(status: status))
        }
        defer {
            reading.cancel()
            command?.cancel()
        }
        redraw()
        for await event in events {
            switch event {
            case .input(let bytes): receive(decoder.decode(bytes), continuation)
            case .endOfInput(let status):
                isAtEnd = true
                if status != 0 { failureStatus = status }
                // The last line may lack its end, and the last request its closing bracket.
                receive([.enter, .endOfText], continuation)
                endRequests()
            case .output(let bytes):
                show(view.erase())
                try writeToStandardOutput(bytes)
                redraw()
            case .commandEnded(let error):
                show(open == nil ? "" : view.erase())
                (command, open) = (nil, nil)
                if let error { report(error) }
                redraw()
                while !hasLeft, !isBusy, let key = pending.popFirst() { receive(key, continuation) }
                redrawIfNeeded()
            }
            if hasLeft || (isAtEnd && command == nil) { return }
        }
        try Task.checkCancellation()
    }

    private mutating func receive(
        _ keys: [Key], _ events: AsyncStream<Event>.Continuation
    ) {
        for key in keys where !hasLeft {
            if !isBusy {
                receive(key, events)
            } else if key == .control("c"), isTerminal {
                command?.cancel()
            } else {
                pending.append(key)
            }
        }
        redrawIfNeeded()
    }

    /// Whether a command runs that reads no keys.
    private var isBusy: Bool { command != nil && open == nil }

    private mutating func receive(_ key: Key, _ events: AsyncStream<Event>.Continuation) {
        switch editor.receive(key) {
        case .none: break
        case .redraw: isDrawn = false
        case .complete: complete()
        case .interrupt(let text):
            finish(text)
            command?.cancel()
            redraw()
        case .clearScreen:
            show("\u{1b}[H\u{1b}[2J")
            view = LineView(prompt: view.prompt)
            redraw()
        case .end:
            redrawIfNeeded()
            show("\r\n")
            if open != nil { endRequests() } else { hasLeft = true }
        case .submit(let text):
            finish(text)
            submit(text, events)
        }
    }

    private mutating func submit(_ text: String, _ events: AsyncStream<Event>.Continuation) {
        historyFile?.save(editor.history)
        do {
            if let open {
                try send(text, in: open.conversation)
            } else {
                try start(ReplInput(text), events)
            }
        } catch {
            report(error)
        }
        redraw()
    }

    private mutating func start(
        _ input: ReplInput, _ events: AsyncStream<Event>.Continuation
    ) throws {
        switch input {
        case .empty: break
        case .exit: hasLeft = true
        case .conversation(let name):
            let conversation = try session.conversation(name)
            let (texts, requests) = AsyncStream.makeStream(of: [UInt8].self)
            open = (conversation, requests)
            command = Task { [session] in
                let error = await session.run(conversation, texts) { events.yield(.output($0)) }
                events.yield(.commandEnded(error))
            }
        default:
            command = Task { [session] in events.yield(.commandEnded(await session.run(input))) }
        }
    }

    /// Sends typed requests, or ends them after `end`.
    private mutating func send(_ text: String, in conversation: ReplConversation) throws {
        switch try ReplInput(text) {
        case .empty: break
        case .call("end", ""): endRequests()
        default: open?.requests.yield(try session.requests(text, in: conversation))
        }
    }

    private mutating func endRequests() {
        open?.requests.finish()
        open = nil
    }

    private mutating func report(_ error: any Error) {
        session.report(error)
        failureStatus = ExitStatus.of(error)
    }
}

// MARK: - Drawing

extension ReplShell {
    private var columnCount: Int { Terminal.columnCount }
    private var rowCount: Int { Terminal.rowCount }

    private mutating func redrawIfNeeded() {
        if !isDrawn { redraw() }
    }

    private mutating func redraw() {
        isDrawn = true
        guard isTerminal, !hasLeft, !isAtEnd, !isBusy else { return }
        view.prompt = editor.search?.prompt ?? open?.conversation.prompt ?? Self.prompt
        show(
            view.draw(
                editor.characters, unchangedCount: editor.takeUnchangedCount(),
                cursor: editor.cursor, columnCount: columnCount, rowCount: rowCount))
    }

    private mutating func complete() {
        guard isTerminal else { return editor.insert(["\t"]) }
        let call = open.map { "call \($0.conversation.method.path) " } ?? ""
        let completion = completer.complete(call + editor.textBeforeCursor)
        if let replacement = completion.replacement {
            editor.replace(last: completion.replacedCount, with: replacement)
        } else if completion.candidates.count > 1 {
            finish(editor.text)
            show(Columns.text(of: completion.candidates, columnCount: columnCount))
        }
        redraw()
    }

    /// Draws a text for the last time.
    private mutating func finish(_ text: String) {
        show(view.finish(Array(text), columnCount: columnCount, rowCount: rowCount))
    }

    private func show(_ text: String) {
        guard isTerminal else { return }
        print(text, terminator: "")
        flushOutput()
    }
}

/// Prints words in columns, as many as fit.
enum Columns {
    /// The most rows. Further words are only counted.
    private static let maxRowCount = 20

    static func text(of words: [String], columnCount: Int) -> String {
        let width = (words.map(\.count).max() ?? 0) + 2
        let perRow = max(1, columnCount / width)
        let shown = words.prefix(perRow * maxRowCount)
        var text = ""
        for (index, word) in shown.enumerated() {
            let isLast = (index + 1) % perRow == 0 || index + 1 == shown.count
            text += word
            text += isLast ? "\n" : String(repeating: " ", count: width - word.count)
        }
        let rest = words.count - shown.count
        return rest > 0 ? text + "and \(rest) more\n" : text
    }
}
