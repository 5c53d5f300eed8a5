//! `hone fleet`: the server of a fleet, its credentials and its status.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::{Exit, Failure};
use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::platform::host_name;
use hone_base::{errln, out, outln};
use hone_experiment::settings::TimeSpan;
use hone_fleet::{self as fleet, Access, FLEET_VARIABLE, Name, Role, Setup, Token, Tokens};

/// Play runs on many machines.
///
/// One machine runs the server (`up`) and prints a credential for each worker
/// (`invite`); the others are workers (`hone worker JOIN`). Runs are started with --fleet: `hone sprt test.toml --fleet`.
#[derive(Debug, Args)]
pub(super) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(Debug, Subcommand)]
enum FleetCommand {
    Up(UpArgs),
    Status(StatusArgs),
    #[command(alias = "join")]
    Invite(InviteArgs),
    Revoke(RevokeArgs),
    Tokens(TokensArgs),
}

/// Start the server, and print the credential for runs.
///
/// Needs nats-server, 2.10.23 or later. Listens only on this machine unless
/// --listen is given. It stays in the foreground and restarts
/// nats-server if that ends.
#[derive(Debug, Args)]
struct UpArgs {
    /// Address and port. 0.0.0.0:4222 lets other machines connect.
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = loopback())]
    listen: SocketAddr,
    /// Also listen for WebSocket there, as on 0.0.0.0:443: for machines whose
    /// network allows no other connections.
    #[arg(long, value_name = "ADDRESS:PORT")]
    websocket: Option<SocketAddr>,
    /// Also print a credential that all workers may share. Each of them can send
    /// results under the names of the others, and they are revoked together.
    #[arg(long)]
    shared_credential: bool,
    /// The name or address by which workers reach this machine [default: the
    /// listening address, or the machine's name].
    #[arg(long)]
    host: Option<String>,
    #[command(flatten)]
    data: DataArgs,
    /// Print a systemd unit for this command instead of starting the server.
    #[arg(long)]
    systemd: bool,
}

/// Show the machines and runs of a fleet.
#[derive(Debug, Args)]
struct StatusArgs {
    /// A fleet other than the one of this machine or of $HONE_FLEET.
    #[arg(long, value_name = "FLEET")]
    fleet: Option<String>,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Make and print a credential: for the machines of one person, or for starting runs.
///
/// Workers send results only under the name of their credential, and each
/// credential can be revoked by itself.
#[derive(Debug, Args)]
struct InviteArgs {
    /// Name of the credential: that of its owner, or of the machine.
    name: Name,
    /// What it allows.
    #[arg(long, value_enum, default_value_t = RoleArg::Worker)]
    role: RoleArg,
    /// When the server stops accepting it, as in 30d or 12h [default: never].
    #[arg(long, value_name = "TIME")]
    expires: Option<TimeSpan>,
    /// Print a credential that connects over WebSocket (`hone fleet up --websocket`).
    #[arg(long)]
    websocket: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Make the server refuse a credential. Its workers are disconnected.
#[derive(Debug, Args)]
struct RevokeArgs {
    /// The credential.
    name: Name,
    #[command(flatten)]
    data: DataArgs,
}

/// List the credentials.
#[derive(Debug, Args)]
struct TokensArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct DataArgs {
    /// The server's data [default: hone/fleet in the user's data folder].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleArg {
    /// Take jobs and give results.
    Worker,
    /// Start runs.
    Submit,
}

fn loopback() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 4222).into()
}

impl DataArgs {
    fn dir(&self) -> anyhow::Result<PathBuf> {
        match &self.data {
            Some(dir) => std::path::absolute(dir).context("cannot find the working directory"),
            None => fleet::data_dir(),
        }
    }
}

impl FleetArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.command {
            FleetCommand::Up(args) => args.run()?,
            FleetCommand::Status(args) => args.run()?,
            FleetCommand::Invite(args) => args.run()?,
            FleetCommand::Revoke(args) => args.run()?,
            FleetCommand::Tokens(args) => args.run()?,
        }
        Ok(Exit::Done)
    }

    /// The action in an error message: `cannot <purpose>`.
    pub(super) fn purpose(&self) -> &'static str {
        match self.command {
            FleetCommand::Up(_) => "start the fleet's server",
            FleetCommand::Status(_) => "show the fleet",
            FleetCommand::Invite(_) => "make a credential",
            FleetCommand::Revoke(_) => "revoke the credential",
            FleetCommand::Tokens(_) => "list the credentials",
        }
    }
}

impl UpArgs {
    fn run(self) -> anyhow::Result<()> {
        self.check_ports()?;
        let setup = Setup {
            data: self.data.dir()?,
            listen: self.listen,
            websocket: self.websocket,
            shared_credential: self.shared_credential,
            host: self.advertised()?,
        };
        if self.systemd {
            let program =
                std::env::current_exe().context("cannot find the path of this program")?;
            out!("{}", fleet::unit(&program, &arguments(&setup))?);
            return Ok(());
        }
        let chosen = self.data.data.is_some();
        fleet::up(&setup, |workers, owner| {
            announce(&setup, chosen, workers, owner);
        })
    }

    /// Refuses port 0: only the server would know the actual one.
    fn check_ports(&self) -> anyhow::Result<()> {
        let websocket = self.websocket.map(|at| ("--websocket", at));
        for (option, at) in std::iter::once(("--listen", self.listen)).chain(websocket) {
            ensure!(
                at.port() != 0,
                Diagnostic::new(format!("`{option} {at}`: credentials need a fixed port")).help(
                    format!("choose one from 1 to 65535, as in {}:4222", at.ip())
                )
            );
        }
        Ok(())
    }

    /// The address of this machine in credentials.
    fn advertised(&self) -> anyhow::Result<String> {
        if let Some(host) = &self.host {
            let is_part = |c: char| c.is_ascii_alphanumeric() || ".-_[]:".contains(c);
            ensure!(
                !host.is_empty() && host.chars().all(is_part),
                "`--host {host}` is neither a name nor an address"
            );
            return Ok(host.clone());
        }
        match self.listen.ip() {
            ip if ip.is_unspecified() => host_name()
                .context("this machine has no name")
                .help("give one with --host"),
            IpAddr::V6(ip) => Ok(format!("[{ip}]")),
            IpAddr::V4(ip) => Ok(ip.to_string()),
        }
    }
}

/// Prints the credential for runs and the one that workers share, unless they are revoked, and
/// the address of the server. `chosen`: the data folder is not the one that runs on this machine use.
fn announce(setup: &Setup, chosen: bool, workers: Option<&Access>, owner: Option<&Access>) {
    let revoked = |name: &str, join: &str| {
        errln!("the credential `{name}` is revoked\nhelp: make another one with `{join}`");
    };
    match workers {
        Some(workers) => outln!("workers:  hone worker {}", workers.line()),
        None if setup.shared_credential => revoked("workers", "hone fleet invite NAME"),
        None => errln!("`hone fleet invite NAME` prints a credential for a worker"),
    }
    match owner {
        Some(owner) if chosen => outln!("runs:     hone sprt test.toml --fleet={}", owner.line()),
        Some(_) => outln!("runs:     hone sprt test.toml --fleet    (on this machine)"),
        None => revoked("owner", "hone fleet invite NAME --role submit"),
    }
    if let (Some(url), Some(workers)) = (setup.websocket_url(), workers) {
        let workers = Access {
            url,
            ..workers.clone()
        };
        outln!("over WebSocket:  hone worker {}", workers.line());
    }
    errln!(
        "{} listens on {}; Ctrl-C ends it",
        setup.data.display(),
        setup.listen
    );
}

/// The command-line options of a setup.
fn arguments(setup: &Setup) -> Vec<String> {
    let mut arguments = vec!["fleet".to_string(), "up".to_string()];
    let mut option = |name: &str, value: String| arguments.extend([name.to_string(), value]);
    option("--listen", setup.listen.to_string());
    if let Some(websocket) = setup.websocket {
        option("--websocket", websocket.to_string());
    }
    option("--host", setup.host.clone());
    option("--data", setup.data.display().to_string());
    if setup.shared_credential {
        arguments.push("--shared-credential".to_string());
    }
    arguments
}

impl StatusArgs {
    fn run(self) -> anyhow::Result<()> {
        let access = Access::chosen(self.fleet.as_deref())?;
        let access = access.for_role(Role::Submit)?;
        let overview = fleet::overview(&access)?;
        if self.json {
            outln!("{}", serde_json::to_string(&overview)?);
        } else {
            out!("{}", overview.text());
        }
        Ok(())
    }
}

impl InviteArgs {
    fn run(self) -> anyhow::Result<()> {
        let role = match self.role {
            RoleArg::Worker => Role::Worker,
            RoleArg::Submit => Role::Submit,
        };
        let mut tokens = Tokens::open(&self.data.dir()?)?;
        let valid_for = self.expires.map(TimeSpan::duration);
        let access = tokens.join(self.name, role, valid_for, self.websocket)?;
        match role {
            Role::Worker => outln!("hone worker {}", access.line()),
            Role::Submit => outln!("{FLEET_VARIABLE}={}", access.line()),
        }
        Ok(())
    }
}

impl RevokeArgs {
    fn run(self) -> anyhow::Result<()> {
        Tokens::open(&self.data.dir()?)?.revoke(&self.name)?;
        outln!(
            "{} is revoked; the server disconnects it within a second or two",
            self.name
        );
        Ok(())
    }
}

impl TokensArgs {
    fn run(self) -> anyhow::Result<()> {
        let tokens = Tokens::open(&self.data.dir()?)?;
        if self.json {
            let all: Vec<_> = tokens.all().iter().map(token_json).collect();
            outln!("{}", json!({ "tokens": all }));
            return Ok(());
        }
        outln!("{:<32} {:<7} {:<8} expires", "name", "role", "state");
        for token in tokens.all() {
            let expires = token
                .expires
                .map_or("never".to_string(), |end| end.to_string());
            outln!(
                "{:<32} {:<7} {:<8} {expires}",
                token.name.as_str(),
                token.role.name(),
                state(token)
            );
        }
        Ok(())
    }
}

fn state(token: &Token) -> &'static str {
    match token.revoked {
        true => "revoked",
        false if token.is_valid(jiff::Timestamp::now()) => "valid",
        false => "expired",
    }
}

fn token_json(token: &Token) -> serde_json::Value {
    json!({
        "name": token.name,
        "role": token.role,
        "state": state(token),
        "created": token.created,
        "expires": token.expires,
    })
}
