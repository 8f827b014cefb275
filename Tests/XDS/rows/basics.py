"""LDS, RDS, CDS and EDS, request by request."""
from resources import *
from steps import *

row("four requests, one after the other, and a call",
    script(),
    begin("one"),
    asked("LDS", "svc"), send("LDS", listener()), ack("LDS", "svc"),
    asked("RDS", "routes"), send("RDS", routes(route())), ack("RDS", "routes"),
    asked("CDS", "a"), send("CDS", cluster("a")), ack("CDS", "a"),
    asked("EDS", "a"), send("EDS", endpoints("a")), ack("EDS", "a"),
    finish("one", "A"))

row("routes that are inline in the listener: no RDS",
    script("RDS"),
    give(listener(routes=routes(route())), lookup("a")),
    call("A"), unanswered("RDS"))

row("all clusters of the virtual host are asked for, and no others",
    give(listener(), routes(host(route(prefix="/b", to="b"), route(to={"a": 1, "c": 1}), domains=["svc"]),
                            host(route(to="d"), domains=["other"])), lookup("a", "b", "c", "d")),
    call("B", "/b/M"), subscribed("CDS", "a b c"), subscribed("EDS", "a b c"))

row("an EDS service name replaces the cluster's name",
    give(web()[:2], cluster("a", service="eds-a"), endpoints("eds-a", "A")),
    call("A"), subscribed("EDS", "eds-a"))

row("a name that the client did not ask for is ignored",
    script("LDS"), give(web()), begin("one"),
    asked("LDS", "svc"), send("LDS", listener("other"), listener()), ack("LDS", "svc"),
    finish("one", "A"))

row("a Resource wrapper: its name counts",
    script("LDS", "CDS"), give(web()), begin("one"),
    asked("LDS", "svc"), send("LDS", Resource("LDS", listener("wrong").body, wrapped="svc")), ack("LDS", "svc"),
    asked("CDS", "a"), send("CDS", Resource("CDS", cluster("a").body, wrapped="a")), ack("CDS", "a"),
    finish("one", "A"))

row("a NACK has the last version, the new nonce and the error; then an ACK",
    script("CDS"), give(web()), begin("one"),
    asked("CDS", "a"), send("CDS", cluster("a"), version="1"), ack("CDS", "a", "1"),
    finish("one", "A"),
    send("CDS", cluster("a", type="STATIC"), version="2"), nack("CDS", "a", "a", version="1"),
    call("A"),
    send("CDS", cluster("a"), version="3"), ack("CDS", "a", "3"), call("A"))

row("the first NACK has no version",
    script("LDS"), begin("one"), give(web()),
    asked("LDS", "svc"), send("LDS", listener(routes=None)), nack("LDS", "svc", "svc", version=""),
    finish("one", (14, "svc")))
