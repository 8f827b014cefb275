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

    @Test("end when the value is gone")
    func gone() async {
        var followers: Followers<Int>? = Followers()
        let follower = followers?.follow(from: 0)
        followers = nil
        #expect(await follower?.reduce(into: []) { $0.append($1) } == [0])
    }
}
