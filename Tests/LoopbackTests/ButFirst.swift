import SwiftletLoopback
import Synchronization

extension RawScript {
    /// Answers all calls but the first, with which it does something else.
    static func butFirst(_ answerToFirst: @escaping RawScript.Answer) -> RawScript {
        let callCount = Mutex(0)
        return RawScript { connection, stream in
            let isFirst = callCount.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst {
                try answerToFirst(connection, stream)
            } else {
                try connection.reply(stream)
            }
        }
    }
}
