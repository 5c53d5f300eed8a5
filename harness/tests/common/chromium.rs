//! Drives a headless Chromium over its debugging pipe.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::running::Running;

/// Longer than any answer takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Colours of texts and lines whose contrast to the background is below 4.5.
const POOR_CONTRASTS: &str = "(() => {
    const probe = document.createElement('i');
    document.body.append(probe);
    const light = (name) => {
        probe.style.color = `var(--${name})`;
        const parts = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3);
        const [r, g, b] = parts.map((part) => {
            const value = part / 255;
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const poor = [];
    for (const ground of ['paper', 'card']) {
        for (const name of ['ink', 'faint', 'first', 'second', 'good', 'bad']) {
            const [low, high] = [light(name), light(ground)].sort((a, b) => a - b);
            if ((high + 0.05) / (low + 0.05) < 4.5) poor.push(`${name} on ${ground}`);
        }
    }
    probe.remove();
    return poor;
})()";

/// Visible texts of charts that are smaller than 11 pixels on the screen.
const SMALL_TEXTS: &str = "[...document.querySelectorAll('figure svg')]
    .filter((svg) => svg.clientWidth > 0)
    .flatMap((svg) => [...svg.querySelectorAll('text')].map((text) => [svg, text]))
    .map(([svg, text]) => [
        text.textContent.trim(),
        parseFloat(getComputedStyle(text).fontSize) * svg.clientWidth / svg.viewBox.baseVal.width,
    ])
    .filter(([, size]) => !(size >= 11))";

/// Texts with backticks, except code and preformatted text.
const BACKTICKS: &str = "(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const isRaw = node.parentElement.closest('pre, code, script, style');
        if (!isRaw && node.data.includes('`')) found.push(node.data);
    }
    return found;
})()";

/// A browser with one page.
pub(crate) struct Chromium {
    _child: Running,
    commands: ChildStdin,
    messages: Receiver<Value>,
    next_id: u64,
    session: Option<String>,
    /// Exceptions and console messages.
    errors: Vec<String>,
    /// Addresses that were requested.
    requests: Vec<String>,
    /// Prefix of the addresses that a page may request.
    home: String,
    /// Number of pages that were loaded.
    loaded: u64,
    _profile: TempDir,
}

/// The path of Chromium, if it is installed.
fn program() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// Opens a report and checks it, if Chromium is installed.
pub(crate) fn check_report(page: &Path) {
    if let Some(mut browser) = Chromium::or_skipped() {
        browser.open(page);
        let drawn = browser.eval("document.querySelectorAll('figure svg').length");
        assert!(drawn.as_u64() >= Some(1), "no picture: {}", page.display());
        browser.check_page();
    }
}

impl Chromium {
    /// Starts one. `None`, and the test counts as skipped, if it is not installed.
    pub(crate) fn or_skipped() -> Option<Self> {
        let browser = Self::start();
        if browser.is_none() {
            super::skip::skipped("Chromium is not installed");
        }
        browser
    }

    /// Starts one; `None` if it is not installed.
    fn start() -> Option<Self> {
        let program = program()?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The debugging pipe is file descriptors 3 and 4.
        let mut command = Command::new("sh");
        command
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
            .stderr(Stdio::null());
        let mut child = Running::start(&mut command);
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
            _child: child,
            commands,
            messages,
            next_id: 0,
            session: None,
            errors: Vec::new(),
            requests: Vec::new(),
            home: "file:".to_string(),
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
        let message = self.send(method, params);
        assert!(message["error"].is_null(), "{method}: {message}");
        message["result"].clone()
    }

    /// Sends a command and waits for its answer, which may be an error.
    fn send(&mut self, method: &str, params: Value) -> Value {
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
                return message;
            }
        }
    }

    fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(TIMEOUT).expect("an answer");
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.errors.push(params.to_string()),
            Some("Log.entryAdded") => self.errors.push(params["entry"].to_string()),
            Some("Runtime.consoleAPICalled") => self.errors.push(params.to_string()),
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(url.to_string());
            }
            Some("Page.loadEventFired") => self.loaded += 1,
            _ => {}
        }
        message
    }

    /// Loads a file and waits until it is loaded.
    pub(crate) fn open(&mut self, file: &Path) {
        self.load(&format!("file://{}", file.display()));
    }

    /// Loads a page of the server at `home`. The page may request only addresses of this server.
    pub(crate) fn visit(&mut self, home: &str, path: &str) {
        self.home = home.to_string();
        self.load(&format!("{home}{path}"));
    }

    fn load(&mut self, url: &str) {
        let before = self.loaded;
        self.call("Page.navigate", json!({ "url": url }));
        while self.loaded == before {
            self.receive();
        }
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", to_evaluate(expression));
        value(expression, &answer)
    }

    /// Keeps copied texts in `window.copied` of this page: a test must not change the
    /// clipboard of the user who runs it.
    pub(crate) fn keep_copies(&mut self) {
        self.eval(
            "Object.defineProperty(navigator, 'clipboard', { value: { \
             writeText: async (text) => { window.copied = text; } } }), 0",
        );
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

    /// Sets the width of the window, in pixels. Below 600, it is that of a phone.
    pub(crate) fn resize(&mut self, width: u64) {
        let screen = json!({
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600
        });
        self.call("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Sets the preferred theme, `light` or `dark`.
    pub(crate) fn theme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let media = json!({ "features": features });
        self.call("Emulation.setEmulatedMedia", media);
    }

    /// The page fits every screen, its texts and colours can be read, its pictures have
    /// labels, and [`has_no_errors`](Self::has_no_errors) holds.
    pub(crate) fn check_page(&mut self) {
        for scheme in ["dark", "light"] {
            self.theme(scheme);
            let poor = self.eval(POOR_CONTRASTS);
            assert_eq!(poor, json!([]), "contrasts below 4.5 in the {scheme} theme");
        }
        for width in [2560, 1280, 390, 360] {
            self.resize(width);
            let actual = self.eval("document.documentElement.scrollWidth");
            assert!(
                actual.as_u64().is_some_and(|actual| actual <= width),
                "a screen of {width} must scroll sideways: {actual}"
            );
            let small = self.eval(SMALL_TEXTS);
            assert_eq!(small, json!([]), "texts of charts below 11 px at {width}");
        }
        let quoted = self.eval(BACKTICKS);
        assert_eq!(quoted, json!([]), "literal backticks");
        self.has_no_errors();
        let unlabelled = "[...document.querySelectorAll('svg[role=img]')]\
                          .filter(s => !s.getAttribute('aria-label') && !s.getAttribute('aria-labelledby')).length";
        assert_eq!(self.eval(unlabelled), 0);
    }

    /// The page has thrown and printed nothing, and requested nothing from elsewhere.
    pub(crate) fn has_no_errors(&self) {
        assert_eq!(self.errors, Vec::<String>::new());
        // Chromium's own pictures, as in a date field, are `data:` addresses.
        let known = [self.home.as_str(), "about:blank", "data:"];
        let outside = self.requests.iter();
        let outside = outside.filter(|url| !known.iter().any(|known| url.starts_with(known)));
        assert_eq!(outside.collect::<Vec<_>>(), Vec::<&String>::new());
    }

    /// Checks a page of `hone serve`.
    pub(crate) fn check_live_page(&mut self, home: &str, path: &str) {
        self.visit(home, path);
        self.wait_for("document.getElementById('connection').textContent === 'Live'");
        self.check_page();
        self.is_accessible(path);
    }

    /// Checks the accessibility with axe-core, in both themes, if `HONE_AXE` names its
    /// script.
    pub(crate) fn is_accessible(&mut self, what: &str) {
        let Some(axe) = env::var_os("HONE_AXE") else {
            super::skip::skipped("HONE_AXE does not name the script of axe-core");
            return;
        };
        let script = fs::read_to_string(axe).expect("HONE_AXE names axe.js");
        self.eval(&format!("{script};0"));
        for scheme in ["light", "dark"] {
            self.theme(scheme);
            self.eval("axe.run().then((found) => { window.found = found.violations; }); 0");
            self.wait_for("Boolean(window.found)");
            let serious = self.eval(
                "window.found.filter((one) => ['serious', 'critical'].includes(one.impact))\
                 .map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)",
            );
            assert_eq!(serious, json!([]), "{what} in the {scheme} theme");
            self.eval("delete window.found");
        }
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let answer = self.send("Runtime.evaluate", to_evaluate(expression));
            // A click may have left the page, whose answer is then an error.
            let is_left = answer["error"]["message"] == "Inspected target navigated or closed";
            if !is_left && value(expression, &answer["result"]) == json!(true) {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "timed out waiting for {expression}"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key that enters no text, such as `Escape`.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key }),
            );
        }
    }
}

/// Parameters of `Runtime.evaluate`.
fn to_evaluate(expression: &str) -> Value {
    json!({ "expression": expression, "returnByValue": true })
}

/// The value of an expression, from the result of `Runtime.evaluate`.
fn value(expression: &str, result: &Value) -> Value {
    assert!(
        result["exceptionDetails"].is_null(),
        "{expression}: {result}"
    );
    result["result"]["value"].clone()
}
