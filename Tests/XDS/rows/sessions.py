"""Sessions by cookie (A55, A60, A75)."""
import base64

from resources import *
from steps import *

SESSION = "envoy.extensions.filters.http.stateful_session.v3.StatefulSession"
COOKIE = "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState"
PER_ROUTE = "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute"


def session(**cookie):
    return extension("session", SESSION, session_state=extension(
        "cookie", COOKIE, cookie={"name": "id", **cookie}))


def app(*servers, what=(), filters=None, groups=None, **cluster_fields):
    return [listener(filters=filters or [session(), ROUTER]), routes(*(what or (route(),))),
            cluster(**cluster_fields), endpoints("a", *(groups or (group(*(servers or ("A", "B", "C"))),)))]


def visit(name, path="/s/M", wanted=None, text=None, **more):
    """A call without cookie; keeps the cookie of its answer."""
    def act(run):
        outcome = run.ask("call", **command(run, path, {}, 10, None, None, "svc"))["outcomes"][0]
        run.note([outcome])
        expect(outcome["code"] == 0, f"visit: {outcome}")
        cookies = [value for key_, value in outcome["headers"] if key_ == "set-cookie"]
        if text is False:
            expect(not cookies, f"a cookie: {cookies}")
            return
        expect(len(cookies) == 1, f"cookies {cookies}")
        found, _, attributes = cookies[0].partition(";")
        run.cookies = getattr(run, "cookies", {})
        run.cookies[name] = (found, key(outcome))
        expect(found.startswith("id="), f"cookie {cookies[0]!r}")
        for part in (text or ("HttpOnly",)):
            expect(part in attributes, f"cookie {cookies[0]!r} lacks {part!r}")
        for part in (more.get("lacks") or ()):
            expect(part not in attributes, f"cookie {cookies[0]!r} has {part!r}")
    return Step(f"visit {name}", act)


def returns(name, n=12, wanted=None, path="/s/M", new=False, header="{}"):
    """Calls with a cookie go to its server, or to the wanted ones."""
    def act(run):
        found, server_name = run.cookies[name]
        outcomes = run.ask("call", **command(
            run, path, {"cookie": header.format(found)}, 10, None, None, "svc", count=n))["outcomes"]
        run.note(outcomes)
        wrong = judge(outcomes, wanted or {server_name: (n, n)})
        expect(wrong is None, f"with the cookie of {server_name}: {wrong}")
        cookies = [pair for outcome in outcomes for pair in outcome["headers"] if pair[0] == "set-cookie"]
        expect(bool(cookies) == new, f"cookies {cookies}")
    return Step(f"returns {name}", act)


def stop_server_of(name):
    return Step("stop its server", lambda run: run.server(run.cookies[name][1]).stop())


def leave(name, health=None):
    """The server of a visitor leaves the list of endpoints, or gets a health status."""
    def act(run):
        gone = run.cookies[name][1]
        points = [endpoint(each, health=health if each == gone else None) for each in "ABC" if health or each != gone]
        resource = endpoints("a", group(*points))
        run.control.give([resource])
        run.board.wait(lambda: any(
            request.type == "EDS" and request.nonce == run.control.sent("EDS") for request in run.control.requests), "no ACK")
    return Step(f"leave {name} {health}", act)


row("session: a cookie is set, and calls with it go to its server", give(app()), until({"A", "B", "C"}, n=9),
    visit("v"), returns("v"), visit("w"), returns("w"), returns("v"))
row("session: with other cookies in the header", give(app()), until({"A", "B", "C"}, n=9), visit("v"),
    returns("v", header="x=1; {}; y=2"))
row("session: lifetime and path of the cookie",
    give(app(filters=[session(ttl="90s", path="/s/"), ROUTER])), visit("v", text=("Path=/s/", "Max-Age=90", "HttpOnly")),
    visit("none", path="/t/M", text=False))
row("session: no lifetime", give(app()), visit("v", lacks=("Max-Age", "Path")))
row("session: the path of a cookie is matched by parts", give(app(filters=[session(path="/s"), ROUTER])), visit("v", path="/s/M"),
    visit("none", path="/ss/M", text=False))
row("session: a cookie that cannot be read is ignored", give(app()), until({"A", "B", "C"}, n=9),
    call({"A", "B", "C"}, headers={"cookie": "id=%%%"}, n=12), call({"A", "B", "C"}, headers={"cookie": "id=QQ"}, n=12))
row("session: the server has gone: another one, and a new cookie", give(app()), until({"A", "B", "C"}, n=9), visit("v"), leave("v"),
    Step("its calls go elsewhere", lambda run: until({each for each in "ABC" if each != run.cookies["v"][1]},
        headers={"cookie": run.cookies["v"][0]}, n=9).act(run)))
row("session: the server drains: it keeps its sessions when the cluster says so",
    give(app(common_lb_config={"override_host_status": {"statuses": ["UNKNOWN", "HEALTHY", "DRAINING"]}})),
    until({"A", "B", "C"}, n=9), visit("v"), leave("v", "DRAINING"), Step("others do not go there", lambda run: until(
        {each for each in "ABC" if each != run.cookies["v"][1]}, n=9).act(run)), returns("v"))
row("session: the server drains, and the cluster does not say so", give(app()), until({"A", "B", "C"}, n=9), visit("v"),
    leave("v", "DRAINING"), Step("its calls go elsewhere", lambda run: until({each for each in "ABC" if each != run.cookies["v"][1]},
        headers={"cookie": run.cookies["v"][0]}, n=9).act(run)))
row("session: the server is unhealthy", give(app()), until({"A", "B", "C"}, n=9), visit("v"), leave("v", "UNHEALTHY"),
    Step("its calls go elsewhere", lambda run: until({each for each in "ABC" if each != run.cookies["v"][1]},
        headers={"cookie": run.cookies["v"][0]}, n=9).act(run)))
row("session: a route turns it off", give(app(what=(
    route("/off", typed_per_filter_config={"session": typed(PER_ROUTE, disabled=True)}), route()))), visit("v"),
    visit("none", path="/off/M", text=False))
row("session: only in a route", give(app(filters=[extension("session", SESSION), ROUTER], what=(
    route("/on", typed_per_filter_config={"session": typed(PER_ROUTE, stateful_session={"session_state": extension(
        "cookie", COOKIE, cookie={"name": "id"})})}), route()))), visit("none", text=False), visit("v", path="/on/M"),
    returns("v", path="/on/M"))
row("session: the cookie keeps the cluster of a weighted choice",
    give(listener(filters=[session(), ROUTER]), routes(route(to={"a": 1, "b": 1})), lookup("a", "b")), until({"A", "B"}, n=20),
    visit("v"), returns("v", n=30), visit("w"), returns("w", n=30))
def move(name):
    """The server of a visitor moves to the second priority."""
    def act(run):
        gone = run.cookies[name][1]
        resource = endpoints("a", group(*(each for each in "ABC" if each != gone)), group(gone, priority=1, zone="z1"))
        run.control.give([resource])
        run.board.wait(lambda: any(
            request.type == "EDS" and request.nonce == run.control.sent("EDS") for request in run.control.requests), "no ACK")
    return Step(f"move {name}", act)


row("session: the server moves to a lower priority, and keeps its sessions", give(app()), until({"A", "B", "C"}, n=9), visit("v"),
    move("v"), Step("others do not go there", lambda run: until({each for each in "ABC" if each != run.cookies["v"][1]}, n=9).act(run)),
    returns("v"), visit("w"), returns("v"))
row("session: what the cookie says", give(app("A")), visit("v"), Step("address and cluster", lambda run: expect(
    base64.b64decode(run.cookies["v"][0][3:] + "==").decode() == f"127.0.0.1:{run.ports['A']};a", f"{base64.b64decode(run.cookies['v'][0][3:] + '==')}")))
row("session: with a ring", give([listener(filters=[session(), ROUTER]), routes(route()), cluster(lb_policy="RING_HASH"),
    endpoints("a", group("A", "B", "C"))]), until({"A", "B", "C"}, n=30), visit("v"), returns("v"))
row("session: settings without a cookie's name", give(web()), call("A"), refuses(listener(filters=[session(name=""), ROUTER]),
    text="cookie"), call("A"))
row("session: settings of another kind", give(web()), call("A"), refuses(listener(filters=[extension("session", SESSION,
    session_state=extension("x", "envoy.extensions.filters.http.buffer.v3.Buffer")), ROUTER]), text="session_state"), call("A"))
