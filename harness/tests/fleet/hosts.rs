//! A fleet over several hosts: network namespaces on this machine, joined by a bridge. The
//! tests need root and iproute2, and are skipped without them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::skip::skipped;
use crate::common::{Setup, finish, player, rows, wait_until, wrapped};
use crate::digest;
use crate::server::Fleet;

/// The port of the server on its host.
const PORT: u16 = 4222;

/// Hosts of one network. Host 0 has the bridge.
pub(crate) struct Network {
    name: String,
    hosts: u32,
}

fn ip(args: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(args.split(' ')).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Network {
    /// `None`, and the test counts as skipped, if no network can be made.
    fn new(hosts: u32) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("hone{}-{number}-", std::process::id());
        let network = Self { name, hosts };
        let hub = network.host(0);
        let is_made = ip(&format!("netns add {hub}"))
            // A host reaches its own address through `lo`.
            && ip(&format!("-n {hub} link set lo up"))
            && ip(&format!("-n {hub} link add bridge type bridge"))
            && ip(&format!("-n {hub} addr add {}/24 dev bridge", address(0)))
            && ip(&format!("-n {hub} link set bridge up"))
            && (1..hosts).all(|host| network.add(host));
        if !is_made {
            skipped("no network namespaces can be made here");
            return None;
        }
        Some(network)
    }

    fn host(&self, host: u32) -> String {
        format!("{}{host}", self.name)
    }

    fn add(&self, host: u32) -> bool {
        let (hub, own) = (self.host(0), self.host(host));
        ip(&format!("netns add {own}"))
            && ip(&format!(
                "-n {hub} link add to{host} type veth peer name eth0 netns {own}"
            ))
            && ip(&format!("-n {hub} link set to{host} master bridge up"))
            && ip(&format!("-n {own} addr add {}/24 dev eth0", address(host)))
            && ip(&format!("-n {own} link set eth0 up"))
    }

    /// The same command on a host.
    fn on(&self, host: u32, command: &Command) -> Command {
        let mut ip = Command::new("ip");
        ip.args(["netns", "exec", &self.host(host)]);
        wrapped(ip, command)
    }

    /// Cuts a host off, or connects it again.
    fn connect(&self, host: u32, is_connected: bool) {
        let state = if is_connected { "up" } else { "down" };
        let set = format!("-n {} link set to{host} {state}", self.host(0));
        assert!(ip(&set), "{set}");
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for host in 0..self.hosts {
            ip(&format!("netns del {}", self.host(host)));
        }
    }
}

fn address(host: u32) -> String {
    format!("10.77.0.{}", host + 1)
}

/// An SPRT of two engines that move at random, each move after 3 ms.
fn slow_sprt() -> Setup {
    let players = player("one", "--seed 1 move=late:3") + &player("two", "--seed 2 move=late:3");
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[sprt]\nelo0 = -20\nelo1 = 40\n\
         model = \"logistic\"\nmax_pairs = 4000\n[adjudication]\nmax_moves = 20\n"
    ))
}

/// Number of workers whose games the run has.
fn workers_with_games(run: &Path) -> usize {
    let table = fs::read_to_string(run.join("workers.csv")).unwrap_or_default();
    table.lines().skip(1).count()
}

#[test]
fn three_hosts_reach_the_verdict_of_one_although_one_is_cut_off() {
    let Some(network) = Network::new(5) else {
        return;
    };
    let listen = format!("{}:{PORT}", address(0));
    let Some(fleet) = Fleet::start_at(&listen, |up| network.on(0, up)) else {
        return;
    };
    let _workers = [1, 2, 3].map(|host| {
        let name = format!("host{host}");
        let args = ["--cores", "1"];
        fleet.worker_by(&name, &args, |worker| network.on(host, worker))
    });
    let setup = slow_sprt();
    let run = setup.run("fleet");
    let runner = network.on(4, &fleet.command(&setup, "sprt", "fleet"));
    let mut runner = fleet.spawn("run", runner);
    wait_until("games of all hosts", || workers_with_games(&run) == 3);
    network.connect(2, false);
    let before = rows(&run);
    wait_until("games of the others", || rows(&run) > before + 20);
    network.connect(2, true);
    let verdict = runner.wait();
    let local = finish(setup.command("sprt", "local", &[]));
    assert_eq!(verdict, local.code, "{}", local.stderr);
    assert!(matches!(verdict, Some(0 | 1)), "{verdict:?}");
    assert_eq!(digest(&run), digest(&setup.run("local")));
}
