//! Drives a headless Chromium over its debugging pipe.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub(crate) struct Chromium {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    next_id: u64,
    session: Option<String>,
    /// What the page complained about.
    complaints: Vec<String>,
    /// Addresses it asked for.
    requests: Vec<String>,
    loaded: u64,
    _profile: TempDir,
}

/// The program, if there is one.
fn program() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// Opens a page and looks it over, if there is a browser.
pub(crate) fn look_at(page: &Path) {
    if let Some(mut browser) = Chromium::or_skipped() {
        browser.open(page);
        let drawn = browser.eval("document.querySelectorAll('figure svg').length");
        assert!(drawn.as_u64() >= Some(1), "no picture: {}", page.display());
        browser.suits_everyone();
    }
}

impl Chromium {
    /// One, or word that the test is skipped.
    pub(crate) fn or_skipped() -> Option<Self> {
        let browser = Self::start();
        if browser.is_none() {
            super::skip::skipped("there is no Chromium here");
        }
        browser
    }

    /// Starts one; none if none is installed.
    fn start() -> Option<Self> {
        let program = program()?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The debugging pipe is file descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .args(["--disable-sync", "--disable-dev-shm-usage"])
            .args(["--remote-debugging-pipe", "--force-prefers-reduced-motion"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell starts");
        let commands = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let value = serde_json::from_slice(&message).expect("messages are JSON");
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        let mut chromium = Self {
            child,
            commands,
            messages,
            next_id: 0,
            session: None,
            complaints: Vec::new(),
            requests: Vec::new(),
            loaded: 0,
            _profile: profile,
        };
        let target = chromium.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = chromium.call("Target.attachToTarget", attach);
        chromium.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            chromium.call(&format!("{domain}.enable"), json!({}));
        }
        Some(chromium)
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let mut command = json!({ "id": self.next_id, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).expect("Chromium listens");
        loop {
            let message = self.receive();
            if message["id"] == self.next_id {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(params.to_string()),
            Some("Log.entryAdded") => self.complaints.push(params["entry"].to_string()),
            Some("Runtime.consoleAPICalled") => self.complaints.push(params.to_string()),
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(url.to_string());
            }
            Some("Page.loadEventFired") => self.loaded += 1,
            _ => {}
        }
        message
    }

    /// Loads a file and waits until it is there.
    pub(crate) fn open(&mut self, file: &Path) {
        let before = self.loaded;
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({ "url": url }));
        while self.loaded == before {
            self.receive();
        }
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Clicks with the mouse on the middle of an element.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?});\
             e.scrollIntoView({{ block: 'center' }});\
             const r = e.getBoundingClientRect();\
             return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1
            });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// The page fits a phone, says what its pictures show, has loaded nothing
    /// and complained of nothing.
    pub(crate) fn suits_everyone(&mut self) {
        let phone = json!({ "width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true });
        self.call("Emulation.setDeviceMetricsOverride", phone);
        let width = self.eval("document.documentElement.scrollWidth");
        assert!(
            width.as_u64() <= Some(360),
            "a phone must scroll sideways: {width}"
        );
        let unlabelled = "[...document.querySelectorAll('svg[role=img]')]\
                          .filter(s => !s.getAttribute('aria-label') && !s.getAttribute('aria-labelledby')).length";
        assert_eq!(self.eval(unlabelled), 0);
        assert_eq!(self.complaints, Vec::<String>::new());
        let outside: Vec<_> = self
            .requests
            .iter()
            .filter(|url| !url.starts_with("file:"))
            .collect();
        assert_eq!(outside, Vec::<&String>::new());
    }

    /// Presses a key that has no letter.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key }),
            );
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
