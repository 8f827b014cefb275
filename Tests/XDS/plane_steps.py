"""Steps at a control plane: what it sends, and what it has to receive."""
from backends import code_of
from scripts import Either, Step, expect, flat, resolved


def on(plane, *steps):
    """The same steps at another control plane."""
    def act(run):
        before, run.plane = run.plane, plane
        try:
            for step in flat(steps):
                step.act(run)
        finally:
            run.plane = before
    return Step(f"on {plane}: " + "; ".join(step.what for step in flat(steps)), act)


def give(*resources):
    found = flat(resources)

    def act(run):
        run.know(found)
        run.control.give(found)
    return Step("give " + " ".join(f"{each.kind}:{each.name}" for each in found), act)


def remove(kind, *names):
    return Step(f"remove {kind}:{' '.join(names)}", lambda run: run.control.remove(kind, names))


def script(*kinds):
    """From here on only the script answers requests of these types."""
    def act(run):
        run.control.scripted.update(kinds or ("LDS", "RDS", "CDS", "EDS"))
    return Step("script " + " ".join(kinds), act)


def send(kind, *resources, version="1", type_url=None, errors=()):
    found = flat(resources)

    def act(run):
        run.know(found)
        run.control.send(kind, found, version, type_url=type_url, errors=errors)
    return Step(f"send {kind} {version} {' '.join(each.name for each in found)}", act)


def asked(kind, names="", version="", nonce=0, error=(), code=3):
    """The next request of a type. A request for fewer names, sent while the others were added, is skipped."""
    def act(run):
        wanted = resolved(run, names)
        wanted = tuple(sorted(wanted.split()))
        request = run.next_request(kind, lambda found: (
            set(found.names) < set(wanted) and not found.code))
        number = run.control.sent(kind) if nonce == "last" else nonce
        expected = (wanted, resolved(run, version), resolved(run, number), code if error else 0)
        found = (request.names, request.version, request.nonce, request.code)
        expect(found == expected, f"{kind}: {request}, expected {expected}")
        texts = resolved(run, error)
        for text in ((texts,) if isinstance(texts, str) else texts):
            expect(text in request.error, f"{kind}: {request.error!r} lacks {text!r}")
    return Step(f"asked {kind} {names} {version} {nonce} {error}", act)


def ack(kind, names, version="1"):
    return asked(kind, names, version, "last")


def nack(kind, names, *error, version=""):
    return asked(kind, names, version, "last", error or ("",))


def accepted(*kinds):
    """Waits until the client has acknowledged the last response of the types."""
    def act(run):
        for kind in kinds:
            run.board.wait(lambda: any(
                request.type == kind and not request.code and request.nonce == run.control.sent(kind)
                and request.stream == run.control.streams[-1].index
                for request in run.control.requests[-200:]), f"no ACK of {kind}")
    return Step("accepted " + " ".join(kinds), act)


def answer(run, kind):
    """Waits for the client's answer to the last response of a type."""
    return run.board.wait(lambda: next((
        request for request in run.control.requests
        if request.type == kind and request.nonce == run.control.sent(kind)
        and request.stream == run.control.streams[-1].index and request.nonce), None),
        f"no answer to {kind}")


def answered(kind):
    """Waits until the client has accepted or refused the last response of a type."""
    return Step(f"answered {kind}", lambda run: answer(run, kind))


def refused(kind, *texts):
    """Waits until the client has refused the last response of a type, with all of the texts."""
    def act(run):
        request = answer(run, kind)
        expect(request.code == 3, f"{kind} was accepted")
        for each in texts:
            for text in [resolved(run, each)]:
                expect(text in request.error, f"{request.error!r} lacks {text!r}")
    return Step(f"refused {kind} {texts}", act)


def refuses(*variants, text=""):
    """Each of the variants is refused, and the calls go on with what was known."""
    steps = []
    for variant in variants:
        steps += [give(variant), refused(variant.kind, variant.name, text)]
    return steps


def accepts(*variants):
    steps = []
    for variant in variants:
        steps += [give(variant), accepted(variant.kind)]
    return steps


def disputed(why, *variants, grpcio="accepted", swiftlet="refused", text=""):
    """Variants that one client accepts and the other refuses."""
    steps = []
    for variant in variants:
        def act(run, variant=variant):
            verdict = accepted if resolved(run, Either(why, grpcio, swiftlet)) == "accepted" else refused
            step = accepted(variant.kind) if verdict is accepted else refused(variant.kind, variant.name, text)
            step.act(run)
        steps += [give(variant), Step(f"disputed {variant.kind}", act)]
    return steps


def subscribed(kind, names):
    """Waits until the last request of a type has these names."""
    wanted = tuple(sorted(names.split()))

    def last(run):
        return next((request for request in reversed(run.control.requests) if request.type == kind), None)

    def act(run):
        run.board.wait(lambda: last(run) and last(run).names == wanted,
                       lambda: f"{kind}: {last(run)}, expected names {names!r}")
    return Step(f"subscribed {kind} {names}", act)


def streams(number):
    """Waits until the control plane has seen so many streams."""
    def act(run):
        run.board.wait(lambda: len(run.control.streams) >= number,
                       lambda: f"{len(run.control.streams)} streams, expected {number}")
        expect(len(run.control.streams) == number,
               f"{len(run.control.streams)} streams, expected {number}")
    return Step(f"streams {number}", act)


def pauses(*shortest):
    """The times between the beginnings of streams are at least these, in seconds."""
    def act(run):
        begun = [stream.begun for stream in run.control.streams]
        found = [after - before for before, after in zip(begun, begun[1:])]
        expect(len(found) == len(shortest) and all(each >= least for each, least in zip(found, shortest)),
               f"pauses {found}, expected at least {shortest}")
    return Step(f"pauses {shortest}", act)


def closed():
    """Waits until the client has closed all streams."""
    return Step("closed", lambda run: run.board.wait(
        lambda: all(not stream.open for stream in run.control.streams), "a stream is still open"))


def end(code=None, message=""):
    """Ends the stream, with OK or a code."""
    return Step(f"end {code}", lambda run: run.control.close(
        code_of(code) if code else None, message))


def stop(name="x"):
    return Step(f"stop {name}", lambda run: run.server(name).stop())


def start(name="x"):
    return Step(f"start {name}", lambda run: run.server(name).start())


def unanswered(*kinds):
    """No request of these types is left that the script has not expected."""
    def act(run):
        for kind in kinds:
            left = run.untaken(kind)
            expect(not left, f"not expected: {'; '.join(map(str, left))}")
    return Step("unanswered", act)


def node(check, what):
    """A property of the node in the first request."""
    def act(run):
        found = run.board.wait(lambda: run.control.requests and run.control.requests[0], "no request").node
        expect(check(found), f"node: {what}: {found}")
    return Step(f"node {what}", act)
