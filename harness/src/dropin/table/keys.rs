//! The keys in the values of flags.

use super::entry::Of::{Both, Cutechess, Fastchess};
use super::entry::{Entry, Group, ignored, refused, yes};

/// All flags whose values have keys.
pub(in crate::dropin) const GROUPS: &[Group] = &[
    Group {
        flag: "-engine",
        entries: ENGINE,
    },
    Group {
        flag: "-openings",
        entries: OPENINGS,
    },
    Group {
        flag: "-sprt",
        entries: SPRT,
    },
    Group {
        flag: "-draw",
        entries: DRAW,
    },
    Group {
        flag: "-resign",
        entries: RESIGN,
    },
    Group {
        flag: "-pgnout",
        entries: PGNOUT,
    },
    Group {
        flag: "-epdout",
        entries: EPDOUT,
    },
    Group {
        flag: "-config",
        entries: CONFIG,
    },
    Group {
        flag: "-log",
        entries: LOG,
    },
    Group {
        flag: "-report",
        entries: REPORT,
    },
    Group {
        flag: "-output",
        entries: OUTPUT,
    },
    Group {
        flag: "-quick",
        entries: QUICK,
    },
];

const ENGINE: &[Entry] = &[
    yes(
        Both,
        "cmd",
        "engine.cmd",
        "with `dir`, a bare name is a file in that folder",
        "cmd=./e",
    ),
    yes(
        Both,
        "name",
        "engine.name",
        "default: the program's file name",
        "name=E",
    ),
    yes(Fastchess, "args", "engine.args", "", "args=x"),
    yes(Cutechess, "arg", "engine.args", "", "arg=x"),
    yes(Both, "dir", "engine.dir", "", "dir=d"),
    yes(Both, "proto", "", "`uci`; xboard is refused", "proto=uci"),
    yes(Cutechess, "conf", "", "an engine of `engines.json`", ""),
    yes(
        Both,
        "tc",
        "engine.limit",
        "as in fastchess, the increment is there for the first move; `inf` needs another limit; hourglass is refused",
        "tc=40/60+0.5",
    ),
    yes(Both, "st", "engine.limit", "", "st=0.1"),
    yes(Both, "nodes", "engine.limit", "", "nodes=5000"),
    yes(Both, "depth", "engine.limit", "", "depth=8"),
    yes(Fastchess, "plies", "engine.limit", "", "plies=8"),
    yes(
        Both,
        "timemargin",
        "match.margin_ms",
        "one for all engines: the largest",
        "timemargin=50",
    ),
    yes(
        Both,
        "restart",
        "engine.restart",
        "`auto` is `off`: an engine that ends is started again",
        "restart=on",
    ),
    yes(Cutechess, "ponder", "engine.ponder", "", "ponder"),
    yes(
        Both,
        "option.NAME",
        "engine.options",
        "an option that the engine does not have, or a value that it does not allow, stops the run before its start",
        "option.Hash=16",
    ),
    ignored(
        Cutechess,
        "trust",
        "the result of every game is determined by hone",
        "trust",
    ),
    ignored(
        Cutechess,
        "debug",
        "the evidence of a failure has both dialogues with times",
        "debug",
    ),
    ignored(
        Cutechess,
        "stderr",
        "the evidence of a failure has the end of an engine's standard error",
        "stderr=e.log",
    ),
    ignored(
        Cutechess,
        "tscale",
        "`-startup-ms` and `-ping-ms` set the times",
        "tscale=2",
    ),
    refused(
        Cutechess,
        "whitepov",
        "UCI scores are from the side to move; other scores would mislead adjudication",
        "whitepov",
    ),
    refused(
        Cutechess,
        "initstr",
        "hone sends only UCI commands; use options",
        "initstr=x",
    ),
    refused(
        Cutechess,
        "book",
        "an engine's own Polyglot book is not supported; convert it with `hone book convert` and use `-openings`",
        "book=b.bin",
    ),
    refused(
        Cutechess,
        "bookdepth",
        "an engine's own Polyglot book is not supported; convert it with `hone book convert` and use `-openings`",
        "bookdepth=8",
    ),
];

const OPENINGS: &[Entry] = &[
    yes(
        Both,
        "file",
        "match.openings.file",
        "also compressed with gzip or zip",
        "file=b.epd",
    ),
    yes(
        Both,
        "format",
        "",
        "`epd` or `pgn`; the content of the file decides",
        "format=epd",
    ),
    yes(Both, "order", "match.openings.order", "", "order=random"),
    yes(Both, "plies", "match.openings.plies", "", "plies=16"),
    yes(
        Both,
        "start",
        "match.openings.start",
        "in random order too: the first opening of the shuffled book",
        "start=5",
    ),
    yes(
        Both,
        "policy",
        "",
        "all of them mean the same: an opening for each pair of games",
        "policy=round",
    ),
];

const SPRT: &[Entry] = &[
    yes(Both, "elo0", "sprt.elo0", "", "elo0=0 elo1=5"),
    yes(Both, "elo1", "sprt.elo1", "", "elo1=5"),
    yes(Both, "alpha", "sprt.alpha", "", "alpha=0.05"),
    yes(Both, "beta", "sprt.beta", "", "beta=0.05"),
    yes(
        Fastchess,
        "model",
        "sprt.model",
        "default `normalized`; cutechess-cli has no models: its Elo is `logistic`, here judged by pairs",
        "model=logistic",
    ),
];

const DRAW: &[Entry] = &[
    yes(
        Both,
        "movenumber",
        "adjudication.draw.move",
        "",
        "movenumber=34",
    ),
    yes(
        Both,
        "movecount",
        "adjudication.draw.count",
        "",
        "movecount=8",
    ),
    yes(Both, "score", "adjudication.draw.score", "", "score=20"),
];

const RESIGN: &[Entry] = &[
    yes(
        Both,
        "movecount",
        "adjudication.resign.count",
        "",
        "movecount=3",
    ),
    yes(Both, "score", "adjudication.resign.score", "", "score=600"),
    yes(
        Both,
        "twosided",
        "adjudication.resign.twosided",
        "",
        "twosided=true",
    ),
];

const PGNOUT: &[Entry] = &[
    yes(
        Both,
        "file",
        "",
        "cutechess-cli has no key before the name",
        "file=g.pgn",
    ),
    yes(Fastchess, "append", "", "default true", "append=false"),
    yes(
        Both,
        "min",
        "pgn.minimal",
        "`min` alone or `min=true`",
        "min=true",
    ),
    yes(
        Cutechess,
        "fi",
        "",
        "always: only finished games are written",
        "fi",
    ),
    yes(Fastchess, "notation", "pgn.notation", "", "notation=uci"),
    yes(Fastchess, "nodes", "pgn.nodes", "", "nodes=true"),
    yes(Fastchess, "seldepth", "pgn.seldepth", "", "seldepth=true"),
    yes(Fastchess, "nps", "pgn.nps", "", "nps=true"),
    yes(Fastchess, "hashfull", "pgn.hashfull", "", "hashfull=true"),
    yes(Fastchess, "tbhits", "pgn.tbhits", "", "tbhits=true"),
    yes(Fastchess, "pv", "pgn.pv", "", "pv=true"),
    yes(Fastchess, "timeleft", "pgn.timeleft", "", "timeleft=true"),
    yes(Fastchess, "latency", "pgn.latency", "", "latency=true"),
    ignored(
        Fastchess,
        "match_line",
        "lines of engines are not copied into the PGN",
        "match_line=x",
    ),
];

const EPDOUT: &[Entry] = &[
    yes(
        Both,
        "file",
        "",
        "cutechess-cli has no key before the name",
        "file=g.epd",
    ),
    yes(Fastchess, "append", "", "default true", "append=false"),
];

const CONFIG: &[Entry] = &[
    yes(
        Fastchess,
        "file",
        "",
        "resumes the run that the file names, as `hone resume` does",
        "",
    ),
    yes(
        Fastchess,
        "outname",
        "",
        "default `config.json`",
        "outname=c.json",
    ),
    yes(
        Fastchess,
        "discard",
        "",
        "`true`: `file` is not read",
        "discard=true",
    ),
    yes(
        Fastchess,
        "stats",
        "",
        "`false`: the run is started anew with the command line that the file keeps",
        "stats=true",
    ),
];

const LOG: &[Entry] = &[
    yes(Fastchess, "file", "", "", "file=f.log"),
    yes(Fastchess, "append", "", "default true", "append=false"),
    ignored(
        Fastchess,
        "level",
        "the file gets the warnings",
        "level=warn",
    ),
    ignored(Fastchess, "compress", "the file is short", "compress=true"),
    ignored(
        Fastchess,
        "realtime",
        "lines are written at once",
        "realtime=true",
    ),
    ignored(
        Fastchess,
        "engine",
        "the evidence of a failure has both dialogues with times",
        "engine=true",
    ),
];

const REPORT: &[Entry] = &[yes(Fastchess, "penta", "", "", "penta=false")];

const OUTPUT: &[Entry] = &[yes(Fastchess, "format", "", "", "format=cutechess")];

const QUICK: &[Entry] = &[
    yes(Fastchess, "cmd", "engine.cmd", "twice", ""),
    yes(Fastchess, "book", "match.openings.file", "", ""),
];
