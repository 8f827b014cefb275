"""CSDS: what the clients say about their resources."""
from resources import *
from steps import *

REQUESTED, ABSENT, ACKED, NACKED, RECEIVED, TIMEOUT = 1, 2, 3, 4, 5, 6


def is_(**resources):
    """For each resource (`LDS_svc`): its state and version, and a text that its error has."""
    def known(found):
        for name, (state, version, *texts) in resources.items():
            if tuple(name.split("_", 1)) not in found:
                return False
            has = found[tuple(name.split("_", 1))]
            if has[:2] != (state, version) or bool(texts) != bool(has[2]):
                return False
            if any(text not in has[2] for text in texts):
                return False
        return len(found) == len(resources)
    return status(known, str(resources))


WEB = {"LDS_svc": (ACKED, "1"), "RDS_routes": (ACKED, "1"), "CDS_a": (ACKED, "1"), "EDS_a": (ACKED, "1")}

row("all that a call needs is accepted",
    give(web()), call("A"), is_(**WEB))
row("requested", script("LDS"), begin("one"), asked("LDS", "svc"), is_(LDS_svc=(REQUESTED, "")),
    give(web()), send("LDS", listener()), finish("one", "A"))
row("refused: the version in use, and the refused one's error",
    script("CDS"), give(web()), begin("one"), asked("CDS", "a"), send("CDS", cluster("a"), version="c1"),
    finish("one", "A"), send("CDS", cluster("a", type="STATIC"), version="c2"), refused("CDS", "a"),
    status(lambda found: found["CDS", "a"][:2] == (NACKED, "c1") and "type" in found["CDS", "a"][2], "NACKED"))
row("refused from the beginning",
    script("CDS"), give(web()), begin("one"), asked("CDS", "a"),
    send("CDS", cluster("a", type="STATIC"), version="c2"), refused("CDS", "a"), finish("one", 14),
    status(lambda found: found["CDS", "a"][:2] == (NACKED, "") and "type" in found["CDS", "a"][2], "NACKED"))
row("accepted again after a refusal: no error",
    script("CDS"), give(web()), begin("one"), asked("CDS", "a"), send("CDS", cluster("a"), version="c1"),
    finish("one", "A"), send("CDS", cluster("a", type="STATIC"), version="c2"), refused("CDS", "a"),
    send("CDS", cluster("a"), version="c3"), accepted("CDS"),
    status(lambda found: found["CDS", "a"] == (ACKED, "c3", ""), "ACKED"))
row("an equal resource in a new version",
    script("CDS"), give(web()), begin("one"), asked("CDS", "a"), send("CDS", cluster("a"), version="c1"),
    finish("one", "A"), send("CDS", cluster("a"), version="c2"), accepted("CDS"),
    status(lambda found: found["CDS", "a"] == (ACKED, "c2", ""), "ACKED"))
row("a missing resource does not exist", script("CDS"), give(web()), begin("one", timeout=30), asked("CDS", "a"),
    finish("one", 14),
    status(lambda found: found["CDS", "a"] == (ABSENT, "", "does not exist"), "does not exist"), slow=True)
row("a resource that is no longer needed is not listed",
    give(web()), call("A"), give(lookup("b"), routes(route(to="b"))), until("B"), subscribed("CDS", "b"),
    status(lambda found: ("CDS", "a") not in found and found["CDS", "b"][0] == ACKED, "b"))
def deleted(version):
    return status(lambda found: found["CDS", "a"][:2] == (ABSENT, version) and found["CDS", "a"][2], "deleted")


def with_feature(*names):
    return {"xds_servers": [{"server_uri": "@x", "channel_creds": [{"type": "insecure"}],
                             "server_features": list(names)}]}


row("a deleted cluster does not exist, and has no version",
    give(web()), call("A"), remove("CDS", "a"), until(14), accepted("CDS"), subscribed("EDS", ""), deleted(""),
    bootstrap=with_feature("fail_on_data_errors"))
row("a deleted cluster that stays in use does not exist, and has its version",
    give(web()), call("A"), remove("CDS", "a"), accepted("CDS"), deleted("1"), call("A"),
    bootstrap=with_feature("ignore_resource_deletion"))
row("a resource in a wrapper",
    give(web()[:2], Resource("CDS", cluster("a").body, wrapped="a"), endpoints("a")), call("A"), is_(**WEB))


def scopes(run):
    # C-core writes the target without its empty authority.
    found = [[each[0].replace("xds:///", "xds:/"), *each[1:4]] for each in run.ask("status")["resources"]]
    wanted = [[f"xds:/{target}", URL + TYPES[kind], name.replace("svc", target), ACKED]
              for target in ("one", "two")
              for kind, name in (("CDS", "a"), ("EDS", "a"), ("LDS", "svc"), ("RDS", "routes"))]
    expect(sorted(found) == sorted(wanted), lambda: f"{found}")


row("two targets have two clients",
    channel("one"), channel("two"), give(listener("one"), listener("two"), web()[1:]),
    call("A", channel="one"), call("A", channel="two"), Step("scopes", scopes))
row("two channels to a target have one client",
    channel("one", "xds:///svc"), channel("two", "xds:///svc"), give(web()),
    call("A", channel="one"), call("A", channel="two"), is_(**WEB))
row("a closed channel leaves nothing", give(web()), call("A"), close(), closed(), is_(),
    only="swiftlet", why="whether the last requests arrive before the end of the stream depends on the moment")
row("the control plane goes: the resources stay accepted", give(web()), call("A"), stop(), call("A"), is_(**WEB))
UNREAD = "grpcio 1.85 does not read resource_errors"
row("an error of the control plane for a resource",
    script("CDS"), give(web()), begin("one", timeout=3), asked("CDS", "a"),
    send("CDS", errors=[("a", 7)], version="c1"), accepted("CDS"),
    finish("one", either(UNREAD, 4, 14)),
    status(lambda found: found["CDS", "a"][:2] in ((REQUESTED, ""), (RECEIVED, "")), "RECEIVED_ERROR or REQUESTED"))
row("an error of the control plane beside a resource in use",
    script("CDS"), give(web()), begin("one"), asked("CDS", "a"), send("CDS", cluster("a"), version="c1"),
    finish("one", "A"), send("CDS", cluster("a"), errors=[("a", 14)], version="c2"), accepted("CDS"), call("A"),
    status(lambda found: found["CDS", "a"][1] == "c2", "the version stays"))
row("a control plane that is too slow: TIMEOUT, and asked for on",
    script("CDS"), give(web()), begin("one", timeout=40), asked("CDS", "a"), finish("one", 14, least=20),
    status(lambda found: found["CDS", "a"][:2] == (TIMEOUT, "") and found["CDS", "a"][2], "TIMEOUT"),
    send("CDS", cluster("a")), until("A"), is_(**WEB),
    bootstrap=with_feature("resource_timer_is_transient_error"), slow=True, limit=90,
    only="swiftlet", why="grpcio 1.85 does not read resource_timer_is_transient_error")
