//! Installs a gateway as a user service of systemd or launchd.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::clients::ClientEnvironment;

/// The service manager of this system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceKeeper {
    /// systemd, on Linux.
    Systemd,
    /// launchd, on macOS.
    Launchd,
}

/// The contents of a service file.
#[derive(Debug)]
pub(super) struct ServiceSpec<'s> {
    /// The full path of the program.
    pub(super) program: &'s str,
    /// The address to listen on.
    pub(super) listen: &'s str,
    /// Variables that the service needs to reach the network.
    pub(super) variables: Vec<(&'s str, &'s str)>,
}

const UNIT: &str = "tersely.service";
const LABEL: &str = "dev.tersely.gateway";

/// The maximum number of attempts to start a service with launchd, and the delay between them.
const MAX_POLLS: usize = 20;
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Variables that may be needed to reach the Internet from a company's network. A service does not see the variables of
/// a shell.
const NETWORK: [&str; 7] = [
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

impl ServiceKeeper {
    /// The service manager of this system, if it responds; otherwise the reason.
    pub(super) fn here() -> Result<Self, String> {
        if cfg!(target_os = "macos") {
            let domain = domain()?;
            return stdout_of(&run("launchctl", &["print", &domain])?).map(|_| Self::Launchd);
        }
        if !cfg!(target_os = "linux") {
            return Err("only systemd and launchd are supported".to_owned());
        }
        let asked = run("systemctl", &["--user", "is-system-running"])?;
        let state = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
        match state.as_str() {
            "running" | "degraded" | "starting" | "initializing" => Ok(Self::Systemd),
            _ => Err("systemd does not run for this user".to_owned()),
        }
    }

    /// The path of the service file.
    pub(super) fn file(self, environment: &ClientEnvironment) -> PathBuf {
        match self {
            Self::Systemd => environment.home("XDG_CONFIG_HOME", ".config").join("systemd/user").join(UNIT),
            Self::Launchd => environment.home("", "Library/LaunchAgents").join(format!("{LABEL}.plist")),
        }
    }

    /// The text of the service file.
    pub(super) fn text(self, spec: &ServiceSpec<'_>) -> String {
        match self {
            Self::Systemd => unit(spec),
            Self::Launchd => agent(spec),
        }
    }

    /// Starts the service now and at every login.
    pub(super) fn start(self, file: &Path) -> Result<(), String> {
        match self {
            Self::Systemd => {
                done("systemctl", &["--user", "daemon-reload"])?;
                done("systemctl", &["--user", "enable", UNIT])?;
                done("systemctl", &["--user", "restart", UNIT])
            }
            Self::Launchd => {
                let _ = run("launchctl", &["bootout", &target()?]);
                // A service that the user disabled by hand would not start.
                let _ = run("launchctl", &["enable", &target()?]);
                let (domain, file) = (domain()?, file.display().to_string());
                let bootstrap = || done("launchctl", &["bootstrap", &domain, &file]);
                // An old process may still be shutting down.
                let begun = (0..MAX_POLLS).find_map(|_| {
                    bootstrap().ok().or_else(|| {
                        std::thread::sleep(POLL_INTERVAL);
                        None
                    })
                });
                begun.map_or_else(bootstrap, Ok)
            }
        }
    }

    /// Stops the service and disables it.
    pub(crate) fn stop(self) -> Result<(), String> {
        match self {
            Self::Systemd => done("systemctl", &["--user", "disable", "--now", UNIT]),
            Self::Launchd => done("launchctl", &["bootout", &target()?]),
        }
    }

    /// Makes the service manager forget a service file that was removed.
    pub(crate) fn forget(self) -> Result<(), String> {
        match self {
            Self::Systemd => done("systemctl", &["--user", "daemon-reload"]),
            Self::Launchd => Ok(()),
        }
    }

    /// The service manager for a service file.
    pub(crate) fn of(file: &Path) -> Self {
        if file.extension().is_some_and(|end| end == "plist") { Self::Launchd } else { Self::Systemd }
    }

    /// Kills the service's process, to simulate a crash.
    pub(super) fn kill(self) -> Result<(), String> {
        match self {
            Self::Systemd => done("systemctl", &["--user", "kill", "--signal=KILL", UNIT]),
            Self::Launchd => done("launchctl", &["kill", "SIGKILL", &target()?]),
        }
    }

    /// The process ID of the service, while it runs.
    pub(crate) fn process(self) -> Option<u32> {
        let (said, sign) = match self {
            Self::Systemd => {
                let show =
                    run("systemctl", &["--user", "show", "--property=MainPID,ActiveState", UNIT]).ok()?;
                let text = String::from_utf8_lossy(&show.stdout).into_owned();
                (text.lines().any(|line| line == "ActiveState=active").then_some(text)?, "MainPID=")
            }
            Self::Launchd => {
                let print = run("launchctl", &["print", &target().ok()?]).ok()?;
                (String::from_utf8_lossy(&print.stdout).into_owned(), "pid = ")
            }
        };
        let number = said.lines().find_map(|line| line.trim().strip_prefix(sign)?.parse().ok());
        number.filter(|number| *number > 0)
    }

    /// Advice on how to keep the service running while nobody is logged in.
    pub(super) fn advice(self) -> Option<&'static str> {
        let lingers = || {
            let user = run("id", &["-u"]).map(|id| String::from_utf8_lossy(&id.stdout).trim().to_owned());
            user.and_then(|user| run("loginctl", &["show-user", &user, "--property=Linger"]))
                .is_ok_and(|shown| shown.stdout.starts_with(b"Linger=yes"))
        };
        match self {
            Self::Systemd if !lingers() => {
                Some("it runs while you are logged in; to keep it running afterwards: loginctl enable-linger")
            }
            _ => None,
        }
    }
}

/// The variables of this shell to copy into the service.
pub(super) fn variables(environment: &ClientEnvironment) -> Vec<(&'static str, &str)> {
    NETWORK.iter().filter_map(|name| Some((*name, environment.var(name)?))).collect()
}

/// The text of a systemd unit.
fn unit(spec: &ServiceSpec<'_>) -> String {
    let word = |text: &str| {
        let text = text.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
        if text.chars().all(|letter| letter.is_alphanumeric() || "/._-:=".contains(letter)) {
            return text;
        }
        format!("\"{text}\"")
    };
    let variable =
        |(name, value): &(&str, &str)| format!("Environment={}\n", word(&format!("{name}={value}")));
    let variables: String = spec.variables.iter().map(variable).collect();
    // A dollar sign starts a variable in a command, but not elsewhere in a unit.
    let program = word(spec.program).replace('$', "$$");
    format!(
        "# Written by `tersely init --service`; `tersely uninstall` removes it.\n\
         # Settings, if any, are in ~/.config/tersely/tersely.toml.\n\
         [Unit]\n\
         Description=Tersely, a gateway that makes what an agent's tools say cost fewer tokens\n\
         Documentation=https://github.com/tersely/tersely\n\
         # However often it fails, it is started again: clients are pointed at it.\n\
         StartLimitIntervalSec=0\n\
         \n\
         [Service]\n\
         Type=exec\n\
         ExecStart={program} serve --listen {}\n\
         ExecReload=/bin/kill -HUP $MAINPID\n\
         # What is saved is kept in ~/.local/state/tersely, for `tersely stats`.\n\
         Environment=TERSELY_HISTORY_RECORD=on\n\
         {variables}\
         WorkingDirectory=%h\n\
         Restart=always\n\
         RestartSec=1\n\
         TimeoutStopSec=310\n\
         NoNewPrivileges=yes\n\
         LockPersonality=yes\n\
         MemoryDenyWriteExecute=yes\n\
         RestrictRealtime=yes\n\
         SystemCallArchitectures=native\n\
         UMask=0077\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        spec.listen
    )
}

/// The text of a launchd agent.
fn agent(spec: &ServiceSpec<'_>) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let string = |text: &str| format!("<string>{}</string>", escaped(text));
    let arguments = [spec.program, "serve", "--listen", spec.listen].map(string).concat();
    let history = ("TERSELY_HISTORY_RECORD", "on");
    let pair = |(name, value): (&str, &str)| format!("<key>{}</key>{}", escaped(name), string(value));
    let variables: String = [history].into_iter().chain(spec.variables.iter().copied()).map(pair).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- Written by `tersely init`; `tersely uninstall` removes it. -->\n\
         <plist version=\"1.0\">\n<dict>\n\
         \x20 <key>Label</key><string>{LABEL}</string>\n\
         \x20 <key>ProgramArguments</key><array>{arguments}</array>\n\
         \x20 <key>EnvironmentVariables</key><dict>{variables}</dict>\n\
         \x20 <key>RunAtLoad</key><true/>\n\
         \x20 <key>KeepAlive</key><true/>\n\
         \x20 <key>ThrottleInterval</key><integer>1</integer>\n\
         \x20 <key>Umask</key><integer>63</integer>\n\
         </dict>\n</plist>\n"
    )
}

/// The launchd domain of this user.
fn domain() -> Result<String, String> {
    let id = stdout_of(&run("id", &["-u"])?)?;
    Ok(format!("gui/{}", id.trim()))
}

/// The launchd name of the service.
fn target() -> Result<String, String> {
    Ok(format!("{}/{LABEL}", domain()?))
}

fn run(program: &str, args: &[&str]) -> Result<Output, String> {
    let ran = Command::new(program).args(args).stdin(Stdio::null()).output();
    ran.map_err(|error| format!("{program} cannot be run: {error}"))
}

/// The standard output of a command, if it succeeded.
fn stdout_of(ran: &Output) -> Result<String, String> {
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    let why = String::from_utf8_lossy(&ran.stderr);
    Err(tersely_terminal::output::visible(why.lines().next().unwrap_or("it exited with an error")))
}

fn done(program: &str, args: &[&str]) -> Result<(), String> {
    stdout_of(&run(program, args)?).map(drop).map_err(|why| format!("{program} {}: {why}", args.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: ServiceSpec<'_> =
        ServiceSpec { program: "/usr/local/bin/tersely", listen: "127.0.0.1:8787", variables: Vec::new() };

    #[test]
    fn the_unit_is_the_one_that_packages_bring() {
        let unit = unit(&SPEC).replace(" --listen 127.0.0.1:8787", "");
        let packaged = include_str!("../../../../deploy/systemd/tersely-user.service");
        let lines = |text: &str| {
            text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lines(&unit), lines(packaged));
    }

    #[test]
    fn odd_letters_stay_what_they_are() {
        let variables = vec![("HTTPS_PROXY", "http://u:p%20<&\"@h:1")];
        let spec = ServiceSpec { program: "/a b/$x", variables, ..SPEC };
        let unit = unit(&spec);
        assert!(unit.contains("ExecStart=\"/a b/$$x\" serve"), "{unit}");
        assert!(unit.contains("Environment=\"HTTPS_PROXY=http://u:p%%20<&\\\"@h:1\"\n"), "{unit}");
        let agent = agent(&spec);
        assert!(agent.contains("<string>http://u:p%20&lt;&amp;\"@h:1</string>"), "{agent}");
        assert!(agent.contains("<string>/a b/$x</string><string>serve</string>"), "{agent}");
    }
}
