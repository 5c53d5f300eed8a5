//! The examples at the end of every help page.

/// Examples of each command, `sprt` or `book make`: what it does, and how.
#[rustfmt::skip] // One line an example.
pub(super) const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    ("", &[
        ("Are the uncommitted changes stronger than main?", "hone sprt --dev worktree: --base git:main --build 'make EXE={out}' --limit 8+0.08"),
        ("Tune the parameters of an engine", "hone tune configs/tune.toml"),
        ("Show the result of a run", "hone report results/RUN"),
    ]),
    ("sprt", &[
        ("Test two programs, without a configuration", "hone sprt --dev ./new --base ./old --limit 8+0.08"),
        ("Test the uncommitted changes against a commit", "hone sprt --dev worktree: --base git:main --build 'make EXE={out}' --limit nodes=20000"),
        ("Play the second of five shards, for `hone pool`", "hone sprt configs/sprt.toml --set sprt.elo1=3 --shard 2/5"),
    ]),
    ("match", &[
        ("Play a match as configured", "hone match configs/gauntlet.toml"),
        ("Play a round robin of three programs", "hone match ./a ./b ./c --limit 8+0.08 --pairs 100"),
        ("Play a commit against a release, both built and run in a sandbox", "hone match git:main git:v1.0 --limit nodes=20000 --sandbox"),
    ]),
    ("fastchess", &[
        ("Test two engines", "hone fastchess -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -openings file=books/balanced.epd order=random -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05"),
        ("Play a match of 100 rounds", "hone fastchess -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -openings file=books/balanced.epd order=random -rounds 100 -repeat"),
        ("Show the configuration for hone", "hone fastchess -engine cmd=./new -engine cmd=./old -each nodes=5000 --explain"),
    ]),
    ("cutechess-cli", &[
        ("Test two engines", "hone cutechess-cli -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -openings file=books/balanced.epd format=epd order=random -games 2 -rounds 5000 -repeat -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05"),
        ("Play a match of 100 rounds", "hone cutechess-cli -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -openings file=books/balanced.epd format=epd -games 2 -rounds 100 -repeat"),
        ("Show the configuration for hone", "hone cutechess-cli -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -games 100 --explain"),
    ]),
    ("bisect", &[
        ("Find the commit that lost Elo since a release", "hone bisect --good v1.0 --bad main --limit nodes=20000"),
        ("The same as configured", "hone bisect configs/bisect.toml --good v1.0 --bad main"),
        ("Find the commit that gained Elo, within eight hours", "hone bisect configs/bisect.toml --good v1.0 --bad main --gained --max-time 8h"),
    ]),
    #[cfg(feature = "serve")]
    ("serve", &[
        ("Serve the runs in results/ to this machine", "hone serve"),
        ("Let the whole network look, from a name of this machine", "hone serve --listen 0.0.0.0:8017 --read-only --host testbox"),
        ("Allow the owners of tokens to submit, pause and stop runs", "hone serve results --token-file tokens.txt --jobs 2"),
    ]),
    ("resume", &[
        ("Resume the newest run for one hour", "hone resume latest --max-time 1h"),
        ("Give an undecided test more pairs", "hone resume results/RUN --pairs 40000"),
        ("Test the values of a tuning that has ended", "hone resume results/RUN --verify"),
    ]),
    ("pool", &[
        ("Judge three shards as one run", "hone pool results/a results/b results/c --out results/all"),
        ("Add what the shards have played since", "hone pool results/a results/b results/c --out results/all"),
        ("Judge two machines' halves, as JSON", "hone pool shards/1 shards/2 --out results/all --json"),
    ]),
    ("tune", &[
        ("Show what would be tuned, without playing", "hone tune configs/tune.toml --dry-run"),
        ("Tune, then test the tuned values against the start", "hone tune configs/tune.toml --verify"),
    ]),
    ("track", &[
        ("Play the newest commit", "hone track configs/nightly.toml"),
        ("Play every commit since a release", "hone track configs/nightly.toml --since v1.0"),
    ]),
    ("report", &[
        ("Show the result of the newest run", "hone report latest"),
        ("Write a self-contained HTML page", "hone report results/RUN --html report.html"),
        ("Show the nightlies of `hone track`", "hone report results"),
    ]),
    ("runs", &[
        ("List the runs in results/", "hone runs"),
        ("List those of another folder as JSON", "hone runs other/results --json"),
    ]),
    ("verify", &[
        ("Check a run", "hone verify results/RUN"),
        ("Print only the digest", "hone verify results/RUN | tail -n 1"),
    ]),
    ("replay", &[
        ("Repeat a failure", "hone replay results/RUN/failures/1-1"),
        ("Repeat it up to 20 times and show the UCI dialogue", "hone replay results/RUN/failures/1-1 --times 20 --dialogue"),
    ]),
    ("check", &[
        ("Check an engine", "hone check ./engine"),
        ("Check a script that an interpreter runs", "hone check \"python3 engine.py\""),
        ("Check it with an option set, and show the dialogue", "hone check ./engine --option Hash=16 --dialogue"),
    ]),
    ("suite", &[
        ("Solve the positions at one second each", "hone suite wac.epd --engine ./engine"),
        ("Compare two engines at a fixed number of nodes", "hone suite wac.epd --engine ./new --compare ./old --nodes 1000000"),
        ("List the positions that are not solved", "hone suite wac.epd --engine ./engine --failures"),
    ]),
    ("book", &[
        ("Describe a book", "hone book info books/balanced.epd"),
        ("Make a book of 1000 balanced positions", "hone book make --engine ./engine --out book.epd"),
    ]),
    ("book info", &[
        ("Describe a book", "hone book info books/balanced.epd"),
        ("List every illegal line", "hone book info book.pgn --plies 8 --json"),
    ]),
    ("book make", &[
        ("Make a book of 1000 balanced positions", "hone book make --engine ./engine --out book.epd"),
        ("Make an unbalanced book from games", "hone book make --engine ./engine --pgn games.pgn --window 80..120 --out unbalanced.epd"),
    ]),
    ("book convert", &[
        ("Convert a Polyglot book to EPD", "hone book convert book.bin --plies 8 --out book.epd"),
        ("Join two books, shuffle them, and keep each position once", "hone book convert a.epd b.pgn --unique --shuffle 1 --out both.epd"),
    ]),
    ("fleet", &[
        ("Start the server for other machines", "hone fleet up --listen 0.0.0.0:4222"),
        ("Print a credential for a worker", "hone fleet invite box2"),
        ("Show machines and runs", "hone fleet status"),
    ]),
    ("fleet up", &[
        ("A server that other machines reach as box.example.org", "hone fleet up --listen 0.0.0.0:4222 --host box.example.org"),
        ("Also for machines that may only use port 443", "hone fleet up --listen 0.0.0.0:4222 --websocket 0.0.0.0:443"),
        ("Start it with the machine", "hone fleet up --listen 0.0.0.0:4222 --systemd > ~/.config/systemd/user/hone-fleet.service"),
    ]),
    ("fleet status", &[
        ("Machines, what they play, what they lost on time", "hone fleet status"),
        ("The same for a script", "hone fleet status --json"),
    ]),
    ("fleet invite", &[
        ("A credential for a friend's machines, for 30 days", "hone fleet invite anna --expires 30d"),
        ("A credential with which another person starts runs", "hone fleet invite ben --role submit"),
    ]),
    ("fleet revoke", &[
        ("Disconnect a friend's machines", "hone fleet revoke anna"),
        ("Those of a server with its data elsewhere", "hone fleet revoke anna --data /srv/fleet"),
    ]),
    ("fleet tokens", &[
        ("List the credentials", "hone fleet tokens"),
        ("The same for a script", "hone fleet tokens --json"),
    ]),
    ("worker", &[
        ("On 14 cores with at most 8 GB", "hone worker JOIN --cores 14 --max-memory 8G"),
        ("With the credential in a file, and endgame tables", "hone worker join.txt --syzygy /tables"),
        ("Build the engines here, in a sandbox", "hone worker JOIN --build always --sandbox"),
    ]),
    ("builds", &[
        ("List the cached builds", "hone builds"),
        ("Remove those that were not used for 30 days", "hone builds prune --older-than 30d"),
    ]),
    ("builds prune", &[
        ("Remove builds that were not used for 30 days", "hone builds prune --older-than 30d"),
        ("Remove all builds", "hone builds prune --all"),
    ]),
    ("calc", &[
        ("Elo of a match, from its pentanomial counts", "hone calc elo --pentanomial 12,80,200,95,13"),
        ("How many games does a test of [0, 3] need?", "hone calc plan --elo0 0 --elo1 3"),
    ]),
    ("calc elo", &[
        ("From pairs: LL,LD,DD+WL,WD,WW", "hone calc elo --pentanomial 12,80,200,95,13"),
        ("From games: wins,draws,losses", "hone calc elo --wdl 512,1203,478"),
    ]),
    ("calc sprt", &[
        ("LLR and verdict of counts", "hone calc sprt --pentanomial 12,80,200,95,13 --elo0 0 --elo1 5"),
        ("The same with logistic Elo, as JSON", "hone calc sprt --pentanomial 12,80,200,95,13 --elo0 0 --elo1 5 --model logistic --json"),
    ]),
    ("calc plan", &[
        ("How many games does a test of [0, 3] need?", "hone calc plan --elo0 0 --elo1 3"),
        ("The same at a draw ratio of 60 %", "hone calc plan --elo0 0 --elo1 3 --draw-ratio 60%"),
        ("The same from the pairs of an earlier run", "hone calc plan --elo0 0 --elo1 3 --run results/RUN"),
    ]),
    ("calc simulate", &[
        ("Pass probability and length at a true strength of 2 Elo", "hone calc simulate --elo 2 --elo0 0 --elo1 5 --draw-ratio 0.6"),
        ("False-positive rate: the true strength is elo0", "hone calc simulate --elo 0 --elo0 0 --elo1 5 --draw-ratio 0.6 --runs 100000"),
    ]),
    ("calc rate", &[
        ("Rate the players of a PGN", "hone calc rate games.pgn"),
        ("Rate a run and a PGN together, with one engine fixed at 3000", "hone calc rate results/RUN games.pgn --anchor Stillwater=3000"),
    ]),
    ("help", &[
        ("List the topics of the manual", "hone help"),
        ("How are games judged?", "hone help playing"),
        ("The options of a command", "hone help calc sprt"),
    ]),
    ("completions", &[
        ("Install completions for bash", "hone completions bash > ~/.local/share/bash-completion/completions/hone"),
        ("Install completions for zsh", "hone completions zsh > ~/.zfunc/_hone"),
    ]),
    ("man", &[
        ("Install the manual pages of all commands", "hone man --out ~/.local/share/man/man1"),
        ("Read it at once", "hone man | man -l -"),
    ]),
];
