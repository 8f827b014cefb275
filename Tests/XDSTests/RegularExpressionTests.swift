import SwiftletTransport
import TestSupport
import Testing

@testable import SwiftletXDS

@Suite("A regular expression")
struct RegularExpressionTests {
    @Test(
        "matches the whole text or not",
        arguments: [
            ("", "", true), ("", "a", false), ("a", "a", true), ("a", "ab", false),
            ("a|ab", "ab", true), ("a*", "aaa", true), ("(a|b)*c", "ababc", true),
            ("a{2,3}", "aa", true), ("a{2,3}", "aaaa", false), ("a{,2}", "a{,2}", true),
            ("[^a-c]+", "xyz", true), ("[^a-c]+", "xaz", false), ("[]a]", "]", true),
            ("[[:alpha:]-]+", "a-b", true), ("\\d+\\.\\d", "12.5", true), (".", "\n", false),
            ("(?s).", "\n", true), ("(?i)straße", "STRAẞE", true), ("(?i)k", "\u{212a}", true),
            ("(?i)[^k]", "\u{212a}", false), ("é", "e\u{301}", false), (".", "é", true),
            ("\\pL+", "жß", true), ("\\p{^L}", "1", true), ("\\Qa.b\\E", "a.b", true),
            ("\\Qa.b\\E", "axb", false), ("^a$", "a", true), ("(?m)a$\n^b", "a\nb", true),
            ("a$\nb", "a\nb", false), ("\\bfoo\\b.*", "foo bar", true),
            ("\\x{1F600}", "\u{1f600}", true), ("(?:)*a", "a", true), ("(a*)*", "b", false),
        ])
    func matching(pattern: String, text: String, expected: Bool) throws {
        #expect(try RegularExpression(pattern).matches(text) == expected)
    }

    @Test(
        "that RE2 refuses is refused with the reason",
        arguments: [
            ("a**", "a repetition of a repetition"), ("*a", "a repetition of nothing"),
            ("(a", "missing ')'"), ("a)", "unexpected ')'"), ("[a", "missing ']'"),
            ("[b-a]", "a range whose end is before its start"),
            ("\\1", "back-references are not supported"),
            ("(?=a)", "look-ahead is not supported"), ("(?<!a)", "look-behind is not supported"),
            ("\\", "a backslash at the end"), ("a{1001}", "a count above 1000"),
            ("(a{100}){11}", "more than 1000 repetitions"),
            ("\\p{Greek}", "scripts are not supported"),
            ("\\q", "unknown escape"), ("[[:foo:]]", "unknown class"), ("(?P<>a)", "invalid name"),
            ("(?z)", "an unknown flag"), ("\\C", "not supported"),
        ])
    func refusal(pattern: String, part: String) {
        let error = #expect(throws: RegexError.self) { try RegularExpression(pattern) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test("has bounds on its length, its depth and its size")
    func bounds() throws {
        func message(_ pattern: String) -> String {
            do throws(RegexError) {
                _ = try RegularExpression(pattern)
                return ""
            } catch {
                return error.message
            }
        }
        func repeated(_ text: String, _ count: Int) -> String {
            String(repeating: text, count: count)
        }
        #expect(message(repeated("a", 16_385)).contains("longer than 16384 bytes"))
        #expect(message(repeated("(", 100_00)).contains("groups inside each other"))
        #expect(message(repeated("(", 150) + "a" + repeated(")", 150)).isEmpty)
        #expect(message("a" + repeated("*(?i)", 300)).contains("inside each other"))
        #expect(message("((a{10}){10}){10}").isEmpty)
        #expect(message(repeated("(abcdefghij){1000}", 2)).contains("more than 4000 steps"))
    }

    @Test(
        "takes time that grows with the text alone",
        arguments: ["(a*)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)(.*)[^a]", "(a?){20}a{20}b"])
    func linearTime(pattern: String) throws {
        let expression = try RegularExpression(pattern)
        let short = ContiguousArray(repeating: UInt8(ascii: "a"), count: 2_000)
        let long = ContiguousArray(repeating: UInt8(ascii: "a"), count: 8_000)
        let ratio = ProcessorTime.ratio(
            of: { _ = expression.matches(long.span) }, to: { _ = expression.matches(short.span) })
        // Four times the text. Quadratic time would be a ratio of 16.
        #expect(ratio < 10)
    }

    @Test("is parsed in time that grows with the text alone: brackets that begin no class")
    func openClasses() throws {
        let short = "[" + String(repeating: "[:", count: 2_000) + "a]"
        let long = "[" + String(repeating: "[:", count: 8_000) + "a]"
        let ratio = ProcessorTime.ratio(
            of: { _ = try? RegularExpression(long) }, to: { _ = try? RegularExpression(short) })
        // Four times the text. Quadratic time would be a ratio of 16.
        #expect(ratio < 10)
        let text: ContiguousArray<UInt8> = [UInt8(ascii: ":")]
        let isMatch = try RegularExpression(short).matches(text.span)
        #expect(isMatch)
    }

    @Test("does not match bytes that are not UTF-8")
    func invalidText() throws {
        let any = try RegularExpression("(?s).*")
        for bytes: ContiguousArray<UInt8> in [
            [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82],
        ] {
            let isMatch = any.matches(bytes.span)
            #expect(!isMatch)
        }
        var end = 0
        let text: ContiguousArray<UInt8> = [0xff, 0x61]
        let match = try RegularExpression("a").firstMatch(in: text.span, from: 0, readTo: &end)
        #expect(match == [1..<2])
    }

    @Test("prefers earlier alternatives and longer repetitions, and reports groups")
    func groups() throws {
        func match(_ pattern: String, _ text: String) throws -> [Range<Int>?]? {
            var end = 0
            return try RegularExpression(pattern)
                .firstMatch(in: ContiguousArray(text.utf8).span, from: 0, readTo: &end)
        }
        #expect(try match("b(a|ab)(c)?", "xbabc") == [1..<3, 2..<3, nil])
        #expect(try match("a+?", "aaa") == [0..<1])
        #expect(try match("(a)|(b)", "b") == [0..<1, nil, 0..<1])
        #expect(try match("(|a)*", "aa") == [0..<0, 0..<0])
        #expect(try match("x", "aa") == nil)
    }

    @Test(
        "replaces all matches",
        arguments: [
            ("b+", "[\\0]", "abbacb", "a[bb]ac[b]"), ("(a)(b)?", "\\2\\1", "abacab", "baacba"),
            ("", "-", "éa", "-é-a-"), ("a*", "-", "baac", "-b-c-"), ("x", "y", "abc", "abc"),
            ("^/(\\w+)/.*$", "\\1", "/tenant/x", "tenant"), ("a", "\\\\", "a", "\\"),
        ])
    func replacing(pattern: String, substitution: String, text: String, expected: String) throws {
        let rewrite = try RegexRewrite(RegularExpression(pattern), substitution: substitution)
        let output = rewrite.apply(to: ContiguousArray(text.utf8).span)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test("refuses a substitution that refers to nothing")
    func substitutions() throws {
        let expression = try RegularExpression("(a)")
        for substitution in ["\\2", "\\", "\\x"] {
            #expect(throws: RegexError.self) {
                try RegexRewrite(expression, substitution: substitution)
            }
        }
    }

    @Test("leaves the rest of a text alone when replacing would take quadratic time")
    func replacingLimit() throws {
        let rewrite = try RegexRewrite(RegularExpression("a.*b|a"), substitution: "x")
        let text = ContiguousArray(repeating: UInt8(ascii: "a"), count: 2_000)
        let output = rewrite.apply(to: text.span)
        #expect(output.count == 2_000)
        #expect(output.first == UInt8(ascii: "x") && output.last == UInt8(ascii: "a"))
    }
}
