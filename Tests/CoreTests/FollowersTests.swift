import Testing

@testable import SwiftletCore

@Suite("The followers of a value", .timeLimit(.minutes(5)))
struct FollowersTests {
    @Test("receive the value at their start and each later value, in order")
    func order() async {
        let followers = Followers<Int>()
        let first = followers.follow(from: 0)
        followers.note(1)
        // A follower that begins after a change does not receive that change again.
        let second = followers.follow(from: 1)
        followers.note(2)
        followers.note(3, isLast: true)
        followers.tell()
        let third = followers.follow(from: 3, isLast: true)
        #expect(await first.reduce(into: []) { $0.append($1) } == [0, 1, 2, 3])
        #expect(await second.reduce(into: []) { $0.append($1) } == [1, 2, 3])
        #expect(await third.reduce(into: []) { $0.append($1) } == [3])
    }

    @Test("that do not read receive the newest values")
    func unread() async {
        let followers = Followers<Int>()
        let follower = followers.follow(from: 0, keeping: 3)
        for value in 1...10 { followers.note(value, isLast: value == 10) }
        followers.tell()
        #expect(await follower.reduce(into: []) { $0.append($1) } == [8, 9, 10])
        let other = followers.follow(from: 0)
        for value in 1...100 { followers.note(value, isLast: value == 100) }
        followers.tell()
        #expect(await other.reduce(into: []) { $0.append($1) } == Array(37...100))
    }

    @Test("end when the value is gone")
    func gone() async {
        var followers: Followers<Int>? = Followers()
        let follower = followers?.follow(from: 0)
        followers = nil
        #expect(await follower?.reduce(into: []) { $0.append($1) } == [0])
    }
}
