//! The keys in the values of flags.

use super::entry::{FlagEntry, Group, POLYGLOT, entries};

/// All flags whose values have keys.
pub(crate) const GROUPS: &[Group] = &[
    Group::new("-engine", ENGINE),
    Group::new("-openings", OPENINGS),
    Group::new("-sprt", SPRT),
    Group::new("-draw", DRAW),
    Group::new("-resign", RESIGN),
    Group::new("-pgnout", PGNOUT),
    Group::new("-epdout", EPDOUT),
    Group::new("-config", CONFIG),
    Group::new("-log", LOG),
    Group::new("-crc32", CRC32),
    Group::new("-report", REPORT),
    Group::new("-output", OUTPUT),
    Group::new("-quick", QUICK),
];

const ENGINE: &[FlagEntry] = entries![
    Yes Both "cmd", "engine.cmd", "cmd=./e", "a bare name is a program on the `PATH`, or a file in `dir` or in the current folder; fastchess looks only in `dir` if it is given, cutechess-cli first in the current folder if it is not";
    Yes Both "name", "engine.name", "name=E", "default: the program's file name, also in place of the `id name` that cutechess-cli prints";
    Yes Fastchess "args", "engine.args", "args=x", "";
    Yes Cutechess "arg", "engine.args", "arg=x", "";
    Yes Both "dir", "engine.dir", "dir=d", "";
    Yes Both "proto", "", "proto=uci", "`uci`; xboard is refused";
    Yes Cutechess "conf", "", "", "an engine of `engines.json`; limits that stand before it stay";
    Yes Both "tc", "engine.limit", "tc=40/60+0.5", "as in fastchess, the increment is there for the first move; `inf` and `0` switch the clock off and need another limit; hourglass is refused, and so is a clock together with `st`";
    Yes Both "st", "engine.limit", "st=0.1", "refused together with a clock in `tc`";
    Yes Both "nodes", "engine.limit", "nodes=5000", "";
    Yes Both "depth", "engine.limit", "depth=8", "";
    Yes Fastchess "plies", "engine.limit", "plies=8", "";
    Yes Both "timemargin", "match.margin_ms", "timemargin=50", "one for all engines: the largest";
    Yes Both "restart", "engine.restart", "restart=on", "`auto` is `off`: an engine that ends is started again";
    Yes Cutechess "ponder", "engine.ponder", "ponder", "";
    Yes Both "option.NAME", "engine.options", "option.Hash=16", "an option that the engine does not have, or a value that it does not allow, is not set, with the warning of the program; `true` presses a button, `false` does not";
    Ignored Cutechess "trust", "", "trust", "the result of every game is determined by hone";
    Ignored Cutechess "debug", "", "debug", "the evidence of a failure has both dialogues with times";
    Ignored Cutechess "stderr", "", "stderr=e.log", "the evidence of a failure has the end of an engine's standard error";
    Ignored Cutechess "tscale", "", "tscale=2", "it scales how long cutechess-cli waits for an engine; `-startup-ms` and `-ping-ms` set this (also with `hone cutechess-cli`)";
    Refused Cutechess "whitepov", "", "whitepov", "UCI scores are from the side to move; other scores would mislead adjudication";
    Refused Cutechess "initstr", "", "initstr=x", "hone sends only UCI commands; use options";
    Refused Cutechess "book", "", "book=b.bin", POLYGLOT;
    Refused Cutechess "bookdepth", "", "bookdepth=8", POLYGLOT;
];

const OPENINGS: &[FlagEntry] = entries![
    Yes Both "file", "match.openings.file", "file=b.epd", "also compressed with gzip or zip";
    Yes Both "format", "", "format=epd", "`epd` or `pgn`; the content of the file decides";
    Yes Both "order", "match.openings.order", "order=random", "";
    Yes Both "plies", "match.openings.plies", "plies=16", "";
    Yes Both "start", "match.openings.start", "start=5", "in random order too: the first opening of the shuffled book";
    Yes Both "policy", "", "policy=round", "all of them mean the same: an opening for each pair of games";
];

const SPRT: &[FlagEntry] = entries![
    Yes Both "elo0", "sprt.elo0", "elo0=0 elo1=5", "";
    Yes Both "elo1", "sprt.elo1", "elo1=5", "";
    Yes Both "alpha", "sprt.alpha", "alpha=0.05", "`-sprt` of cutechess-cli needs `elo0`, `elo1`, `alpha` and `beta`";
    Yes Both "beta", "sprt.beta", "beta=0.05", "";
    Yes Fastchess "model", "sprt.model", "model=logistic", "default `normalized`; cutechess-cli has no models: its Elo is `logistic`, here judged by pairs";
];

const DRAW: &[FlagEntry] = entries![
    Yes Both "movenumber", "adjudication.draw.move", "movenumber=34", "0: cutechess-cli does not use the rule";
    Yes Both "movecount", "adjudication.draw.count", "movecount=8", "`-draw` of cutechess-cli needs all three keys";
    Yes Both "score", "adjudication.draw.score", "score=20", "";
];

const RESIGN: &[FlagEntry] = entries![
    Yes Both "movecount", "adjudication.resign.count", "movecount=3", "0: cutechess-cli does not use the rule";
    Yes Both "score", "adjudication.resign.score", "score=600", "`-resign` of cutechess-cli needs `movecount` and `score`";
    Yes Both "twosided", "adjudication.resign.twosided", "twosided=true", "";
];

const PGNOUT: &[FlagEntry] = entries![
    Yes Both "file", "", "file=g.pgn", "cutechess-cli has no key before the name";
    Yes Fastchess "append", "", "append=false", "default true";
    Yes Both "min", "pgn.minimal", "min=true", "`min` alone or `min=true`";
    Yes Cutechess "fi", "", "fi", "always: only finished games are written";
    Yes Fastchess "notation", "pgn.notation", "notation=uci", "";
    Yes Fastchess "nodes", "pgn.nodes", "nodes=true", "";
    Yes Fastchess "seldepth", "pgn.seldepth", "seldepth=true", "";
    Yes Fastchess "nps", "pgn.nps", "nps=true", "";
    Yes Fastchess "hashfull", "pgn.hashfull", "hashfull=true", "";
    Yes Fastchess "tbhits", "pgn.tbhits", "tbhits=true", "";
    Yes Fastchess "pv", "pgn.pv", "pv=true", "";
    Yes Fastchess "timeleft", "pgn.timeleft", "timeleft=true", "";
    Yes Fastchess "latency", "pgn.latency", "latency=true", "";
    Yes Fastchess "match_line", "pgn.match_line", "match_line=x", "a regular expression without look-around and back-references; may be given several times";
];

const EPDOUT: &[FlagEntry] = entries![
    Yes Both "file", "", "file=g.epd", "cutechess-cli has no key before the name";
    Yes Fastchess "append", "", "append=false", "default true";
];

const CONFIG: &[FlagEntry] = entries![
    Yes Fastchess "file", "", "", "resumes the run that the file names, as `hone resume` does; `hone` warns that other flags have no effect";
    Yes Fastchess "outname", "", "outname=c.json", "default `config.json`; if it names a folder, the run is kept there, under `results/`, unless `--out` is given";
    Yes Fastchess "discard", "", "discard=true", "`true`: `file` is not read";
    Yes Fastchess "stats", "", "stats=true", "`false`: the run is started anew with the command line that the file keeps";
];

const LOG: &[FlagEntry] = entries![
    Yes Fastchess "file", "", "file=f.log", "";
    Yes Fastchess "append", "", "append=false", "default true";
    Yes Fastchess "level", "", "level=warn", "default `warn`: faults of engines; `info` and `trace` have more of what hone does";
    Ignored Fastchess "compress", "", "compress=true", "the file is written as it is";
    Ignored Fastchess "realtime", "", "realtime=true", "lines are written at once";
    Yes Fastchess "engine", "", "engine=true", "the dialogue with every engine; standard error is in the evidence of a failure";
];

const CRC32: &[FlagEntry] = entries![
    Yes Fastchess "pgn", "", "pgn=true", "";
];

const REPORT: &[FlagEntry] = entries![
    Yes Fastchess "penta", "", "penta=false", "";
];

const OUTPUT: &[FlagEntry] = entries![
    Yes Fastchess "format", "", "format=cutechess", "";
];

const QUICK: &[FlagEntry] = entries![
    Yes Fastchess "cmd", "engine.cmd", "", "twice";
    Yes Fastchess "book", "match.openings.file", "", "";
];
