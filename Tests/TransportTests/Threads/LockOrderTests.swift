#if DEBUG
    import Synchronization
    import Testing

    @testable import SwiftletTransport

    @Suite("The order of locks")
    struct LockOrderTests {
        private static let order = LockOrder(table: ["Outer.State": ["Inner.State"]])

        private static func lock(_ name: String, _ address: UInt = 1) -> LockOrder.Lock {
            LockOrder.Lock(name: name, address: address)
        }

        @Test("allows a lock alone, and a pair that it lists")
        func allowed() {
            let outer = Self.lock("Outer.State")
            #expect(Self.order.violation(taking: Self.lock("Other.State"), holding: []) == nil)
            #expect(
                Self.order.violation(taking: Self.lock("Inner.State", 2), holding: [outer]) == nil)
        }

        @Test("refuses a pair that it does not list, with both names")
        func inverted() {
            let violation = Self.order.violation(
                taking: Self.lock("Outer.State", 2), holding: [Self.lock("Inner.State")])
            #expect(
                violation
                    == "the lock of Outer.State is taken while that of Inner.State is held, which LockOrder does not list"
            )
        }

        @Test("looks at the lock that was taken last")
        func three() {
            let order = LockOrder(table: ["A": ["B"], "B": ["C"]])
            let held = [Self.lock("A", 1), Self.lock("B", 2)]
            #expect(order.violation(taking: Self.lock("C", 3), holding: held) == nil)
            #expect(order.violation(taking: Self.lock("B", 3), holding: held) != nil)
        }

        @Test("refuses a lock that the thread holds")
        func twice() {
            let order = LockOrder(table: ["A": ["A", "B"], "B": ["A"]])
            let held = [Self.lock("A", 1), Self.lock("B", 2)]
            #expect(order.violation(taking: Self.lock("A", 3), holding: held) == nil)
            #expect(
                order.violation(taking: Self.lock("A", 1), holding: held)
                    == "the lock of A is taken by a thread that holds it")
        }

        @Test("refuses a call of the program's code while a lock is held")
        func callingOut() {
            #expect(Self.order.violation(calling: "picker", holding: []) == nil)
            #expect(
                Self.order.violation(calling: "picker", holding: [Self.lock("Outer.State")])
                    == "the lock of Outer.State is held during a call: picker")
        }

        @Test("of this package has no circle")
        func ofPackage() {
            #expect(LockOrder.ofPackage.circle == nil)
        }

        @Test("shows a circle")
        func circle() {
            #expect(LockOrder(table: ["A": ["B", "C"], "B": ["C"]]).circle == nil)
            #expect(
                LockOrder(table: ["A": ["B"], "B": ["C", "D"], "D": ["B"]]).circle
                    == ["B", "D", "B"])
            #expect(LockOrder(table: ["A": ["A"]]).circle == ["A", "A"])
        }
    }

    @Suite("The name of a lock")
    struct LockNameTests {
        private struct State: ~Copyable {}

        private struct Generic<Value> {
            struct State {}
        }

        private static func name<Value: ~Copyable>(_: Value.Type) -> String {
            LockOrder.name(of: LockOrder.Kind<Value>.self)
        }

        @Test("is its type without modules, files and arguments of generic types")
        func own() {
            struct Local {}
            #expect(Self.name(SocketAddress.self) == "SocketAddress")
            #expect(Self.name(State.self) == "LockNameTests.State")
            #expect(
                Self.name(Generic<[(Int) -> Int]>.State.self) == "LockNameTests.Generic.State")
            #expect(Self.name(Local.self) == "LockNameTests.Local")
            #expect(Self.name(Int.ExtendedHere.self) == "Int.ExtendedHere")
        }

        @Test("has the arguments of the standard library's types")
        func standard() {
            #expect(Self.name(Int.self) == "Int")
            #expect(Self.name(State?.self) == "Optional<LockNameTests.State>")
            #expect(
                Self.name([String: [Generic<Int>.State]].self)
                    == "Dictionary<String, Array<LockNameTests.Generic.State>>")
            #expect(Self.name((now: Int, most: Bool).self) == "(now: Int, most: Bool)")
        }
    }

    extension Int {
        fileprivate struct ExtendedHere {}
    }

    #if SWIFTLET_WATCHED_LOCKS
        @Suite("Watched locks")
        struct WatchedLockTests {
            private struct Outer {}
            private struct Inner {}

            @Test("stop the program at a pair that the order does not list")
            func nested() async {
                let result = await #expect(
                    processExitsWith: .failure, observing: [\.standardErrorContent]
                ) {
                    let outer = WatchedMutex(Outer())
                    let inner = WatchedMutex(Inner())
                    outer.withLock { _ in inner.withLock { _ in } }
                }
                #expect(
                    Self.text(result).contains(
                        "the lock of WatchedLockTests.Inner is taken while that of WatchedLockTests.Outer is held"
                    ))
            }

            @Test("stop the program when a thread takes one twice")
            func twice() async {
                let result = await #expect(
                    processExitsWith: .failure, observing: [\.standardErrorContent]
                ) {
                    let lock = WatchedMutex(Outer())
                    lock.withLock { _ in lock.withLock { _ in } }
                }
                #expect(
                    Self.text(result).contains(
                        "the lock of WatchedLockTests.Outer is taken by a thread that holds it"))
            }

            @Test("stop the program when its code is called while one is held")
            func callingOut() async {
                let result = await #expect(
                    processExitsWith: .failure, observing: [\.standardErrorContent]
                ) {
                    WatchedMutex(Outer()).withLock { _ in
                        HeldLocks.assertNone(calling: "picker")
                    }
                }
                #expect(
                    Self.text(result).contains(
                        "the lock of WatchedLockTests.Outer is held during a call: picker"))
            }

            @Test("are released one after the other, also by an error")
            func released() {
                struct Failure: Error {}
                let lock = WatchedMutex(Outer())
                for _ in 0..<2 {
                    #expect(throws: Failure.self) { try lock.withLock { _ in throw Failure() } }
                    lock.withLock { _ in }
                    HeldLocks.assertNone(calling: "test")
                }
            }

            private static func text(_ result: ExitTest.Result?) -> String {
                String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            }
        }
    #endif
#endif
