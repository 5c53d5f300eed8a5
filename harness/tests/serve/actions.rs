//! Actions that `hone serve` accepts with a token.
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::common::server::Server;
use crate::common::{Setup, digest, finish, hone, player, rows, wait_until};
use serde_json::Value;

const TOKEN: &str = "0123456789abcdef0123";

/// A folder for runs, and a file with the token of `ann`.
struct Acting {
    _setup: Setup,
    results: PathBuf,
    tokens: PathBuf,
}

impl Acting {
    fn new() -> Self {
        let setup = Setup::new("");
        let results = setup.run("results");
        fs::create_dir(&results).expect("made");
        let tokens = setup.run("tokens");
        fs::write(&tokens, format!("# who may act\nann {TOKEN}\n")).expect("written");
        fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600)).expect("set");
        Self {
            _setup: setup,
            results,
            tokens,
        }
    }

    fn server(&self) -> Server {
        self.server_with(&[])
    }

    fn server_with(&self, more: &[&str]) -> Server {
        let tokens = self.tokens.to_str().expect("text");
        let args = [&["--token-file", tokens], more].concat();
        Server::start(&self.results, &args)
    }

    /// The configuration of a match of `pairs` pairs.
    fn config(&self, pairs: usize) -> String {
        let players = player("one", "--seed 1 go=late:5") + &player("two", "--seed 2 go=late:5");
        format!(
            "{players}[match]\nlimit = \"nodes=5\"\npairs = {pairs}\nconcurrency = 1\n\
             openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 10\n"
        )
    }

    /// The lines of the audit log: user, action, outcome.
    fn audit(&self) -> Vec<(Value, String, String)> {
        let text = fs::read_to_string(self.results.join("queue/audit.jsonl")).expect("there");
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines
            .map(|line| {
                let text = |name: &str| line[name].as_str().unwrap_or_default().to_string();
                (line["by"].clone(), text("action"), text("outcome"))
            })
            .collect()
    }
}

/// What the queue wants to do with a run; `gone` if the queue does not have it.
fn wanted(server: &Server, run: &str) -> String {
    let queue = server.get("/api/queue").json();
    let jobs = queue["queue"].as_array().expect("a list").clone();
    let job = jobs.iter().find(|job| job["name"] == run);
    job.map_or("gone".to_string(), |job| {
        job["wanted"].as_str().unwrap_or("?").to_string()
    })
}

/// The actions that the page of a run offers.
fn offered(server: &Server, run: &str) -> Vec<String> {
    let page = server.get(&format!("/runs/{run}")).body;
    let buttons = page.split("data-action=\"").skip(1);
    let names = buttons.filter_map(|rest| rest.split('"').next());
    names.map(str::to_string).collect()
}

#[test]
fn a_run_is_submitted_paused_resumed_and_finished() {
    let acting = Acting::new();
    let server = acting.server();
    let submit = |name: &str, config: &str| {
        server.post(&format!("/api/queue?name={name}&kind=match"), TOKEN, config)
    };
    let config = acting.config(40);
    assert_eq!(submit("first", &config).status, 200);
    assert_eq!(submit("first", &config).status, 409, "the name is taken");
    for (name, config) in [
        ("../x", config.as_str()),
        ("bad", "[match]\nlimt = 1\n"),
        ("none", ""),
    ] {
        let refused = submit(name, config);
        assert_eq!(refused.status, 400, "{refused:?}");
    }
    assert!(submit("bad", "[match]\nlimt = 1\n").body.contains("limt"));
    let run = acting.results.join("first");
    wait_until("its first games", || rows(&run) >= 4);
    wait_until("its page offers what is possible", || {
        offered(&server, "first") == ["pause", "stop", "priority"]
    });

    // A second run is queued until the first is paused.
    assert_eq!(submit("second", &acting.config(1)).status, 200);
    assert_eq!(server.post("/api/runs/first/pause", TOKEN, "").status, 200);
    assert_eq!(wanted(&server, "first"), "paused");
    wait_until("the second run to end", || {
        wanted(&server, "second") == "gone"
    });
    wait_until("its page offers to resume it", || {
        offered(&server, "first") == ["resume", "stop", "priority"]
    });
    let paused = rows(&run);
    assert!(paused < 80, "not paused before its end");
    assert_eq!(
        server
            .post("/api/runs/first/priority?priority=7", TOKEN, "")
            .status,
        200
    );
    assert_eq!(server.post("/api/runs/first/resume", TOKEN, "").status, 200);
    wait_until("it ends", || wanted(&server, "first") == "gone");
    assert_eq!(rows(&run), 80);
    wait_until("it is seen to be finished", || {
        let all = server.get("/api/runs").json();
        let mut runs = all["runs"].as_array().expect("a list").iter();
        runs.any(|one| one["run"] == "first" && one["state"] == "finished")
    });
    wait_until("its page offers nothing", || {
        offered(&server, "first").is_empty()
    });
    let again = server.post("/api/runs/first/resume", TOKEN, "");
    assert_eq!(again.status, 409, "{again:?}");
    assert_eq!(again.body, "`first` is finished\n");
    drop(server);
    digest(&run);
    let audit = acting.audit();
    let ann = Value::from("ann");
    let has = |action: &str, outcome: &str| {
        audit.contains(&(ann.clone(), action.to_string(), outcome.to_string()))
    };
    assert!(
        has("submit", "ok") && has("pause", "ok") && has("resume", "ok"),
        "{audit:?}"
    );
    assert!(has("priority", "ok"), "{audit:?}");
}

#[test]
fn actions_need_a_token_and_stopped_runs_can_be_resumed() {
    let acting = Acting::new();
    let server = acting.server();
    let config = acting.config(10_000);
    for token in ["", "wrong", "0123456789abcdef012"] {
        let refused = server.post("/api/queue?name=x&kind=match", token, &config);
        assert_eq!(refused.status, 401, "{refused:?}");
        assert_eq!(server.post("/api/runs/x/stop", token, "").status, 401);
    }
    assert!(!acting.results.join("x").exists());
    let refused = acting.audit();
    assert!(
        refused
            .iter()
            .all(|(by, _, outcome)| by.is_null() && outcome == "no valid token")
    );
    assert_eq!(refused.len(), 6);
    let large = "x".repeat(300_000);
    assert_eq!(
        server
            .post("/api/queue?name=x&kind=match", TOKEN, &large)
            .status,
        413
    );

    assert_eq!(
        server
            .post("/api/queue?name=x&kind=match", TOKEN, &config)
            .status,
        200
    );
    let run = acting.results.join("x");
    wait_until("its first games", || rows(&run) >= 4);
    // A server that ends also ends its runs, and the next server continues them.
    drop(server);
    let then = rows(&run);
    let server = acting.server();
    wait_until("it is continued", || rows(&run) > then);
    assert_eq!(server.post("/api/runs/x/stop", TOKEN, "").status, 200);
    assert_eq!(wanted(&server, "x"), "gone");
    wait_until("it is stopped", || {
        server.get("/api/runs").json()["runs"][0]["state"] == "stopped"
    });
    wait_until("its page offers only to resume it", || {
        offered(&server, "x") == ["resume"]
    });
    assert_eq!(server.post("/api/runs/x/pause", TOKEN, "").status, 409);
    assert_eq!(server.post("/api/runs/none/stop", TOKEN, "").status, 404);
    assert_eq!(server.post("/api/runs/x/explode", TOKEN, "").status, 404);
    let stopped = rows(&run);
    assert_eq!(server.post("/api/runs/x/resume", TOKEN, "").status, 200);
    wait_until("it is resumed", || rows(&run) > stopped);
}

#[test]
fn a_run_that_needs_approval_waits_for_another_owner() {
    const OTHER: &str = "fedcba98765432109876";
    let acting = Acting::new();
    let alone = {
        let mut command = hone();
        command.arg("serve").arg(&acting.results).arg("--approve");
        command.arg("--token-file").arg(&acting.tokens);
        finish(command)
    };
    assert_eq!(alone.code, Some(2));
    assert!(
        alone.stderr.contains("of at least two owners"),
        "{}",
        alone.stderr
    );

    let tokens = fs::read_to_string(&acting.tokens).expect("there");
    fs::write(&acting.tokens, format!("{tokens}bob {OTHER}\n")).expect("written");
    let server = acting.server_with(&["--approve"]);
    let config = acting.config(2);
    let submitted = server.post("/api/queue?name=one&kind=match", TOKEN, &config);
    assert_eq!(submitted.status, 200, "{submitted:?}");
    assert_eq!(wanted(&server, "one"), "approval");
    // The configuration can be read before it is approved.
    let read = server.get("/api/queue/one");
    assert_eq!(read.body, config);
    let hash = read
        .head
        .lines()
        .find_map(|line| line.strip_prefix("config-sha256: "));
    let hash = hash.expect("its hash").trim().to_string();
    assert_eq!(server.get("/api/queue/..%2Faudit").status, 404);
    let act =
        |action: &str, token: &str| server.post(&format!("/api/runs/one/{action}"), token, "");
    for action in ["approve", "resume", "pause"] {
        assert_eq!(act(action, TOKEN).status, 409, "{action} by its submitter");
    }
    assert_eq!(act("resume", OTHER).status, 409);
    assert_eq!(act("approve", "").status, 401);
    wait_until("the page shows it", || {
        server.get("/").body.contains("waiting for approval")
    });
    assert!(!acting.results.join("one").exists());
    // It still waits after a restart.
    drop(server);
    let server = acting.server_with(&["--approve"]);
    assert_eq!(wanted(&server, "one"), "approval");
    let approve = |what: &str| server.post(&format!("/api/runs/one/approve{what}"), OTHER, "");
    assert_eq!(approve("").status, 400, "without the configuration's hash");
    // Its submitter replaces it by another one of the same name.
    assert_eq!(server.post("/api/runs/one/stop", TOKEN, "").status, 200);
    let other = acting.config(1);
    let submitted = server.post("/api/queue?name=one&kind=match", TOKEN, &other);
    assert_eq!(submitted.status, 200, "{submitted:?}");
    let changed = approve(&format!("?config={hash}"));
    assert_eq!(changed.status, 409, "{changed:?}");
    assert!(
        changed.body.contains("not the one that was reviewed"),
        "{changed:?}"
    );
    assert_eq!(wanted(&server, "one"), "approval");
    assert_eq!(server.post("/api/runs/one/stop", TOKEN, "").status, 200);
    let again = server.post("/api/queue?name=one&kind=match", TOKEN, &config);
    assert_eq!(again.status, 200, "{again:?}");
    let approved = approve(&format!("?config={hash}"));
    assert_eq!(approved.status, 200, "{approved:?}");
    wait_until("it is played", || wanted(&server, "one") == "gone");
    assert_eq!(rows(&acting.results.join("one")), 4);
    let event = |by: &str, action: &str, outcome: &str| {
        (Value::from(by), action.to_string(), outcome.to_string())
    };
    let audit = acting.audit();
    assert!(audit.contains(&event("bob", "approve", "ok")), "{audit:?}");
    let refused = "ann submitted `one`: somebody else must approve it";
    assert!(
        audit.contains(&event("ann", "approve", refused)),
        "{audit:?}"
    );
}

#[test]
fn refused_requests_are_in_the_audit_log_with_their_reason() {
    let acting = Acting::new();
    let server = acting.server();
    let config = acting.config(1);
    let large = "x".repeat(300_000);
    let kinds = "`kind=foo` is not a kind of run: allowed are sprt, match, tune, bisect";
    let requests = [
        ("/api/queue?name=x&kind=foo", &config, 400, kinds),
        (
            "/api/queue?kind=match",
            &config,
            400,
            "the name of the run is missing: add `name=NAME`",
        ),
        (
            "/api/queue?name=x&kind=match",
            &large,
            413,
            "the configuration is larger than 256 kB",
        ),
        (
            "/api/runs/x/explode",
            &config,
            404,
            "unknown action: allowed are pause, resume, stop, approve and priority",
        ),
    ];
    for (path, body, status, words) in requests {
        assert_eq!(server.post(path, "wrong", body).status, 401, "{path}");
        let refused = server.post(path, TOKEN, body);
        assert_eq!(refused.status, status, "{refused:?}");
        assert_eq!(refused.body, format!("{words}\n"));
        let (by, _, outcome) = acting.audit().pop().expect("a line");
        assert_eq!((by, outcome), (Value::from("ann"), words.to_string()));
    }
}

#[test]
fn one_server_accepts_actions_and_others_can_show_the_runs() {
    let acting = Acting::new();
    let server = acting.server();
    let mut second = hone();
    second.arg("serve").arg(&acting.results);
    second.arg("--listen").arg("127.0.0.1:0");
    second.arg("--token-file").arg(&acting.tokens);
    let second = finish(second);
    assert_eq!(second.code, Some(2));
    let stderr = &second.stderr;
    assert!(stderr.contains("another `hone serve` accepts"), "{stderr}");
    assert_eq!(Server::start(&acting.results, &[]).get("/").status, 200);
    drop(server);
    assert_eq!(acting.server().get("/").status, 200);
}

#[test]
fn a_server_whose_terminal_is_closed_ends_its_runs() {
    let acting = Acting::new();
    let server = acting.server();
    let config = acting.config(10_000);
    let submitted = server.post("/api/queue?name=x&kind=match", TOKEN, &config);
    assert_eq!(submitted.status, 200, "{submitted:?}");
    let run = acting.results.join("x");
    wait_until("its first games", || rows(&run) >= 4);
    server.signal(libc::SIGHUP);
    let ledger = File::open(run.join("games.csv")).expect("there");
    wait_until("its run ends", || ledger.try_lock_shared().is_ok());
}
