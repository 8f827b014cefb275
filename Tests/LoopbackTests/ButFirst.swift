import SwiftletLoopback
import Synchronization

extension RawScript {
    /// Answers every call correctly, except for the first one, which `answerToFirst` answers.
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
