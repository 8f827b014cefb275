extension HPACK {
    /// The 61 fields that both sides know from the start (RFC 7541 appendix A).
    enum StaticTable {
        static let count = 61

        /// The fields by their index. Index 0 is empty.
        static let list: HeaderList = {
            var list = HeaderList()
            list.append("", "")
            for (name, value) in rows { list.append(name, value) }
            for index in list.fields.indices {
                list.fields[index].verdict = HeaderRules.verdict(
                    on: list.fields[index], in: list.bytes.contiguous.span)
            }
            return list
        }()

        private static let rows: [(String, String)] = [
            (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
            (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"),
            (":status", "200"), (":status", "204"), (":status", "206"), (":status", "304"),
            (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
            ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
            ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
            ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
            ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
            ("content-location", ""), ("content-range", ""), ("content-type", ""),
            ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""),
            ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""),
            ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""),
            ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
            ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
            ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""),
            ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
            ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
        ]
    }
}
