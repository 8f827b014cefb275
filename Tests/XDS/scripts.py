"""Rows, their steps, and what may differ between clients."""

ROWS = []


class Row:
    def __init__(self, name, steps, options):
        self.name = name
        self.steps = steps
        self.servers = options.pop("servers", ("x",))
        self.bootstrap = options.pop("bootstrap", {})
        # The whole text of the bootstrap, where it is no object with the usual keys.
        self.bootstrap_text = options.pop("bootstrap_text", None)
        # Why the requests of both clients differ.
        self.differs = options.pop("differs", None)
        # `given`: the bootstrap is in a file; `missing`: the file is not there.
        self.file = options.pop("file", None)
        # Certificates in the folder of the row.
        self.files = options.pop("files", {})
        # Waits for a timer of seconds: such rows run together.
        self.slow = options.pop("slow", False)
        self.limit = options.pop("limit", 60 if self.slow else 20)
        self.environment = options.pop("environment", {})
        # The one client for which this row is, and why.
        self.only = options.pop("only", None)
        self.why = options.pop("why", None)
        # grpcio's process ends in this row with a segmentation fault; says when.
        self.crash = options.pop("crash", None)
        self.theme = None
        assert not options, options


def row(name, *steps, **options):
    ROWS.append(Row(name, flat(steps), options))


def flat(values):
    found = []
    for value in values:
        found += flat(value) if isinstance(value, (list, tuple)) else [value]
    return found


class Step:
    def __init__(self, what, act):
        self.what = what
        self.act = act


class Either:
    """What the two clients do, where they differ, and why."""

    def __init__(self, why, grpcio, swiftlet):
        assert grpcio != swiftlet
        self.why = why
        self.of = {"grpcio": grpcio, "swiftlet": swiftlet}


def either(why, grpcio, swiftlet):
    return Either(why, grpcio, swiftlet)


def resolved(run, value):
    if isinstance(value, Either):
        run.reasons.add(value.why)
        return value.of[run.client]
    return value


def expect(condition, text):
    if not condition:
        raise AssertionError(text() if callable(text) else text)
