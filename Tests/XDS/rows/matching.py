"""Which virtual host, route and cluster a call gets."""
from resources import *
from steps import *


def matches(name, match, yes, no=(), **options):
    """Headers with which a call goes to B by a matcher, and headers with which it does not."""
    row(name, give(web(route(to="b", **match), route(to="a"))),
        [call("B", headers=each) for each in yes], [call("A", headers=each) for each in no], **options)


def by_header(name, matcher, yes, no=(), **options):
    matches(name, {"headers": [matcher]}, yes, no, **options)


def by_path(name, match, yes, no):
    row(name, give(web(route(**{"prefix": None, **match, "to": "b"}), route(to="a"))),
        [call("B", each) for each in yes], [call("A", each) for each in no])


# Virtual hosts

row("domains: exact, then suffix, then prefix, then all",
    give(web(host(route(to="d")), host(route(to="c"), domains=["sv*"]),
             host(route(to="b"), domains=["*vc"]), host(route(to="a"), domains=["svc"]))),
    call("A"))
row("domains: a suffix wins over a prefix, the longer one over the shorter",
    give(web(host(route(to="a"), domains=["s*"]), host(route(to="b"), domains=["*c"]),
             host(route(to="c"), domains=["*vc"]), host(route(to="d"), domains=["sv*"]))),
    call("C"))
row("domains: a prefix wins over all", give(web(host(route(to="a")), host(route(to="b"), domains=["sv*"]))), call("B"))
row("domains: a pattern needs at least one more character",
    give(web(host(route(to="a")), host(route(to="b"), domains=["*svc", "svc*"]))), call("A"))
row("domains: upper and lower case are the same", give(web(host(route(), domains=["SVC"]))), call("A"))
row("domains: none fits", give(web(host(route(), domains=["other"]))), call((14, "routes")))
row("domains: the channel's authority counts, not the target",
    give(web(host(route(to="a"), domains=["svc"]), host(route(to="b"), domains=["other"]))),
    channel("svc", grpc__default_authority="other"), call("B"))
row("domains: the target's port belongs to the name",
    give([each if each.kind != "LDS" else listener("svc:80") for each in web(
        host(route(to="a"), domains=["svc"]), host(route(to="b"), domains=["svc:80"]))]),
    channel("svc", "xds:///svc:80"), call("B"))

# Paths

by_path("a prefix", {"prefix": "/s/"}, ["/s/M"], ["/t/M", "/S/M", "/ss/M"])
by_path("a prefix without a service's end", {"prefix": "/s"}, ["/s/M", "/ss/M"], ["/t/s"])
by_path("a path", {"path": "/s/M"}, ["/s/M"], ["/s/M2", "/s/m"])
by_path("a path in any case", {"path": "/S/m", "case_sensitive": False}, ["/s/M", "/S/M"], ["/s/N"])
by_path("a prefix in any case", {"prefix": "/S/", "case_sensitive": False}, ["/s/M"], ["/t/M"])
by_path("a regular expression has to fit the whole path", {"safe_regex": {"regex": "/s/M[0-9]"}},
        ["/s/M1"], ["/s/M", "/s/M12"])
by_path("a regular expression has to fit from the first character", {"safe_regex": {"regex": "s/M[0-9]"}},
        [], ["/s/M1"])
by_path("a regular expression in RE2's syntax", {"safe_regex": {"regex": r"(?i)/S/\pL+|/t/(?P<n>x|y)\d{2,3}"}},
        ["/s/Mx", "/t/x12", "/t/y123"], ["/s/M1", "/t/z12", "/t/x1234"])
by_path("a regular expression that is slow elsewhere", {"safe_regex": {"regex": "/s/(a*)*b"}},
        ["/s/aab"], ["/s/" + "a" * 200])
row("the first route that fits counts",
    give(web(route("/s/", to="b"), route(prefix=None, path="/s/M", to="c"), route(to="a"))), call("B"), call("A", "/t/M"))
row("no route fits: UNAVAILABLE", give(web(route("/other/"))), call((14, "")), call("A", "/other/M"))

# Headers

by_header("header: exact", header("x", exact_match="1"), [{"x": "1"}], [{}, {"x": "2"}, {"x": "11"}, {"y": "1"}])
by_header("header: values are joined by a comma", header("x", exact_match="1,2"),
          [{"x": ["1", "2"]}, {"x": "1,2"}], [{"x": ["2", "1"]}, {"x": "1"}])
by_header("header: prefix", header("x", prefix_match="ab"), [{"x": "abc"}, {"x": "ab"}], [{}, {"x": "cab"}])
by_header("header: suffix", header("x", suffix_match="ab"), [{"x": "cab"}], [{}, {"x": "abc"}])
by_header("header: contains", header("x", contains_match="ab"), [{"x": "cabd"}], [{}, {"x": "acb"}])
by_header("header: regular expression", header("x", safe_regex_match={"regex": "a+"}),
          [{"x": "aaa"}], [{}, {"x": "aab"}, {"x": "A"}])
by_header("header: range", header("x", range_match={"start": "-3", "end": "5"}),
          [{"x": "-3"}, {"x": "4"}, {"x": "0"}], [{}, {"x": "5"}, {"x": "-4"}, {"x": "z"}, {"x": "1.5"}])
by_header("header: present", header("x", present_match=True), [{"x": "1"}, {"x": ""}], [{}])
by_header("header: not present", header("x", present_match=False), [{}], [{"x": "1"}])
by_header("header: present, inverted", header("x", present_match=True, invert_match=True), [{}], [{"x": "1"}])
by_header("header: inverted, and an absent header does not fit", header("x", exact_match="1", invert_match=True),
          [{"x": "2"}], [{"x": "1"}, {}])
by_header("header: string_match exact", header("x", string_match={"exact": "a"}), [{"x": "a"}], [{"x": "A"}, {}])
by_header("header: string_match in any case", header("x", string_match={"exact": "aB", "ignore_case": True}),
          [{"x": "Ab"}], [{"x": "abc"}, {}])
by_header("header: string_match prefix, inverted", header(
    "x", string_match={"prefix": "a"}, invert_match=True), [{"x": "b"}], [{"x": "ab"}, {}])
by_header("header: string_match contains, in any case", header(
    "x", string_match={"contains": "aB", "ignore_case": True}), [{"x": "xAby"}], [{"x": "ayb"}])
by_header("header: string_match suffix", header("x", string_match={"suffix": "b"}), [{"x": "ab"}], [{"x": "ba"}])
by_header("header: string_match regular expression", header("x", string_match={"safe_regex": {"regex": "[ab]+"}}),
          [{"x": "ab"}], [{"x": "abc"}])
by_header("header: a name in upper case", header("X-Name", exact_match="1"), [], [{}])
by_header("header: binary headers do not count", header("x-bin", present_match=True), [], [{"x-bin": "00ff"}, {}])
by_header("header: absent binary headers", header("x-bin", present_match=False), [{"x-bin": "00ff"}])
by_header("header: content-type", header("content-type", exact_match="application/grpc"), [{}])
by_header("header: user-agent is not seen", header("user-agent", present_match=True), [], [{}])
by_header("header: te is not seen", header("te", present_match=True), [], [{}])
by_header("header: :authority is not seen", header(":authority", present_match=True), [], [{}])
by_header("header: :path", header(":path", exact_match="/s/M"), [{}])
row("header: grpc-timeout", give(web(route(to="b", headers=[header("grpc-timeout", present_match=True)]), route())),
    call(either("C-core's matchers see the call's deadline, other clients' do not", "B", "A")))
by_header("header: a missing one is not empty", header(
    "x", exact_match="", treat_missing_header_as_empty=True), [], [{}])
matches("header: all matchers have to fit",
        {"headers": [header("x", exact_match="1"), header("y", present_match=True)]},
        [{"x": "1", "y": "2"}], [{"x": "1"}, {"y": "2"}, {}])

# Shares


def fraction(numerator, denominator="HUNDRED"):
    return {"runtime_fraction": {"default_value": {"numerator": numerator, "denominator": denominator}}}


row("a fraction of 0 fits no call", give(web(route(to="b", **fraction(0)), route())), call("A", n=100))
row("a fraction of 100 % fits every call", give(web(route(to="b", **fraction(100)), route())), call("B", n=100))
row("a fraction above 100 % fits every call", give(web(route(to="b", **fraction(200)), route())), call("B", n=100))
row("a fraction of 30 %", give(web(route(to="b", **fraction(30)), route())),
    call({"A": (300, 400), "B": (100, 200)}, n=500))
row("a fraction in parts of a million", give(web(route(to="b", **fraction(500_000, "MILLION")), route())),
    call({"A": (190, 310), "B": (190, 310)}, n=500))
row("a fraction without a default value fits", give(web(route(to="b", runtime_fraction={}), route())),
    call("B", n=20))
row("weights 1 and 3", give(web(route(to={"a": 1, "b": 3}))), until({"A", "B"}, n=20),
    call({"A": (80, 170), "B": (330, 420)}, n=500))
row("a cluster with weight 0 gets no call, and is not asked for",
    give(web(route(to={"a": 1, "b": 0}))), call("A", n=100), subscribed("CDS", "a"))
row("large weights", give(web(route(to={"a": 2_147_483_648, "b": 2_147_483_647}))), until({"A", "B"}, n=20),
    call({"A": (190, 310), "B": (190, 310)}, n=500))
row("100 routes", give(web(*(route(f"/s{index}/", to="b" if index == 77 else "a") for index in range(100)))),
    call("B", "/s77/M"), call("A", "/s78/M"))
