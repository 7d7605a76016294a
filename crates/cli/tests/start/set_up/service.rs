//! Tests a gateway as a service, with a stand-in for systemctl that really starts it. `packages/try/service.sh` does
//! the same with systemd itself.

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use serde_json::Value;

use crate::set_up::home::{Home, RECORD};

/// Manages one service, and restarts it after a kill unless told not to.
const SYSTEMCTL: &str = r#"
PATH=/usr/bin:/bin
cd "$(dirname "$0")/../keeper" || exit 1
unit="$HOME/.config/systemd/user/tersely.service"
end() { [ ! -e pid ] || kill -9 "$(cat pid)"; rm -f pid; }
start() {
    [ -e "$unit" ] || { echo "Unit tersely.service not found." >&2; exit 5; }
    $(sed -n 's/^ExecStart=//p' "$unit") >/dev/null 2>&1 &
    echo $! > pid
}
echo "$2" >> asked
case "$2" in
is-system-running) if [ -e none ]; then echo offline; exit 1; else echo running; fi ;;
enable) : > enabled ;;
restart) end; start ;;
kill) end; [ -e mortal ] || start ;;
show) if [ -e pid ]; then echo "MainPID=$(cat pid)"; echo ActiveState=active; else echo ActiveState=inactive; fi ;;
disable) end; rm -f enabled ;;
esac
"#;

const UNIT: &str = ".config/systemd/user/tersely.service";
const CLAUDE: &str = "{\n  \"model\": \"opus\", // mine\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n";
const CODEX: &str = "# mine\nmodel = \"gpt-5.5\"\r\n[tui]\ntheme = \"dark\"";
const OPENCODE: &str = "{\"$schema\": \"https://opencode.ai/config.json\", \"provider\": {}}";

/// A home with a service manager and four clients.
struct Served {
    home: Home,
    listen: String,
}

impl Served {
    fn new(test: &str) -> Self {
        let mut home = Home::new(&format!("service-{test}"), &["claude", "codex", "opencode", "gemini"]);
        home.program("systemctl", SYSTEMCTL);
        home.program("loginctl", "echo Linger=no");
        home.program("id", "echo 1000");
        fs::create_dir(home.path("keeper")).expect("a folder");
        home.put(".claude/settings.json", CLAUDE, 0o644);
        home.put(".codex/config.toml", CODEX, 0o600);
        home.put(".codex/auth.json", r#"{"OPENAI_API_KEY": "k"}"#, 0o600);
        home.put(".config/opencode/opencode.json", OPENCODE, 0o644);
        home.var("ANTHROPIC_API_KEY", "k");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
        Self { home, listen: port.to_string() }
    }

    fn args(&self) -> [&str; 5] {
        ["init", "--service", "--listen", &self.listen, "--yes"]
    }

    /// The systemctl calls since the last check.
    fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.home.path("keeper/asked")).unwrap_or_default();
        let _ = fs::remove_file(self.home.path("keeper/asked"));
        asked.lines().filter(|line| *line != "show").map(str::to_owned).collect()
    }

    fn json(&self, file: &str) -> Value {
        serde_json::from_str(&self.home.read(file).replace("// mine", "")).expect("JSON")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Ok(process) = fs::read_to_string(self.home.path("keeper/pid")) {
            let _ = Command::new("kill").args(["-9", process.trim()]).status();
        }
    }
}

/// Behaviour 24.4 and 24.6: the service is set up first, then the settings, and all of it is undone.
#[test]
fn settings_name_a_service_that_came_back_by_itself() {
    let served = Served::new("whole");
    let before = served.home.all();
    let ran = served.home.well(&served.args());
    assert!(ran.said.contains("restarted after its process was killed"), "{ran:?}");
    assert!(ran.said.contains("loginctl enable-linger"), "{ran:?}");
    assert!(
        ran.said.contains("gemini: left unchanged") && ran.said.contains("tersely run gemini"),
        "{ran:?}"
    );
    let asked = served.asked();
    assert_eq!(asked, ["is-system-running", "daemon-reload", "enable", "restart", "kill"]);
    let url = format!("http://{}", served.listen);
    assert_eq!(served.json(".claude/settings.json")["env"]["ANTHROPIC_BASE_URL"], url);
    assert!(served.home.read(".codex/config.toml").starts_with(&format!("openai_base_url = \"{url}/v1\"")));
    let opencode = served.json(".config/opencode/opencode.json");
    assert_eq!(opencode["provider"]["anthropic"]["options"]["baseURL"], format!("{url}/v1"));
    let said = served.home.doctor().out;
    assert!(said.contains("claude, codex, opencode through the service at"), "{said}");

    let once = served.home.all();
    let ran = served.home.well(&served.args());
    assert!(ran.said.contains("nothing to change"), "{ran:?}");
    assert_eq!(served.asked(), ["is-system-running"]);
    let ran = served.home.run(&["init", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.said.contains("through a service") && ran.said.contains("tersely uninstall"), "{ran:?}");
    fs::remove_file(served.home.path("keeper/asked")).unwrap_or_default();
    assert_eq!(served.home.all(), once);

    served.home.well(&["uninstall", "--yes"]);
    assert_eq!(served.asked(), ["disable", "daemon-reload"]);
    assert_eq!(served.home.all(), before);
}

/// Behaviour 24.4: a service that does not restart is removed, and no client is changed.
#[test]
fn a_service_that_does_not_come_back_is_taken_away() {
    let served = Served::new("mortal");
    served.home.put("keeper/mortal", "", 0o600);
    let before = served.home.all();
    let ran = served.home.run(&served.args());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.said.contains("no client was changed: it did not restart"), "{ran:?}");
    served.asked();
    assert_eq!(served.home.all(), before);
}

/// Behaviour 24.4: without a service manager, nothing is written, and an alternative is suggested.
#[test]
fn without_systemd_there_are_aliases() {
    let served = Served::new("none");
    served.home.put("keeper/none", "", 0o600);
    let before = served.home.all();
    let ran = served.home.run(&served.args());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.said.contains("systemd does not run for this user"), "{ran:?}");
    assert!(ran.said.contains("hint: run `tersely init` without --service"), "{ran:?}");
    fs::remove_file(served.home.path("bin/systemctl")).expect("a file");
    let ran = served.home.run(&served.args());
    assert!(ran.said.contains("systemctl cannot be run"), "{ran:?}");
    served.home.program("systemctl", SYSTEMCTL);
    served.asked();
    assert_eq!(served.home.all(), before);
}

/// Behaviour 24.5: another gateway at the address must not be mistaken for the service.
#[test]
fn an_address_in_use_is_a_fault() {
    let served = Served::new("taken");
    let other = crate::stage::start(&["serve", "--listen", &served.listen], &[]);
    other.address();
    let before = served.home.all();
    let ran = served.home.run(&served.args());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.said.contains("another program already listens on") && ran.said.contains("--listen"),
        "{ran:?}"
    );
    served.asked();
    assert_eq!(served.home.all(), before);
}

/// Behaviour 24.5: settings with another address are the user's choice.
#[test]
fn what_leads_elsewhere_stays() {
    let mut served = Served::new("elsewhere");
    served.home.put(".claude/settings.json", r#"{"env": {"ANTHROPIC_BASE_URL": "http://h"}}"#, 0o644);
    served.home.put(".codex/auth.json", r#"{"auth_mode": "chatgpt", "tokens": {}}"#, 0o600);
    served.home.put(".config/opencode/opencode.json", "{ broken", 0o644);
    let before = served.home.all();
    let ran = served.home.run(&served.args());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.said.contains("settings.json sets env.ANTHROPIC_BASE_URL already"), "{ran:?}");
    assert!(ran.said.contains("codex: left unchanged, because it has no API key of its own"), "{ran:?}");
    assert!(ran.said.contains("opencode.json: line 1, column 3: expected a key in quotes"), "{ran:?}");
    assert!(ran.said.contains("no agent has settings that can point to a service"), "{ran:?}");
    served.asked();
    assert_eq!(served.home.all(), before);
    served.home.put(".claude/settings.json", CLAUDE, 0o644);
    served.home.var("HTTPS_PROXY", "http://proxy:1");
    let ran = served.home.run(&served.args());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.said.contains("claude: left unchanged, because HTTPS_PROXY is set, and NO_PROXY"), "{ran:?}");
    served.home.put(UNIT, "[Service]\nExecStart=/mine\n", 0o644);
    served.home.var("NO_PROXY", "localhost,127.0.0.1");
    let ran = served.home.run(&served.args());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.said.contains("tersely.service: exists already, and was not written by"), "{ran:?}");
}

/// Behaviour 24.6: later changes by a client or its user stay, even to values that we wrote.
#[test]
fn settings_that_were_changed_since_stay() {
    let served = Served::new("changed");
    served.home.well(&served.args());
    let claude = served.home.read(".claude/settings.json").replace("opus", "sonnet");
    served.home.put(".claude/settings.json", claude, 0o644);
    let codex =
        served.home.read(".codex/config.toml").replace(&format!("http://{}/v1", served.listen), "http://h");
    served.home.put(".codex/config.toml", &codex, 0o600);
    let shown = format!("{:#}", served.json(".config/opencode/opencode.json"));
    served.home.put(".config/opencode/opencode.json", shown, 0o644);
    served.home.put(UNIT, served.home.read(UNIT) + "# mine\n", 0o600);
    let ran = served.home.well(&["uninstall", "--yes"]);
    assert!(ran.out.contains("openai_base_url has another value now, which is kept"), "{ran:?}");
    assert!(ran.out.contains("its file has changed since, so it is kept"), "{ran:?}");
    assert_eq!(served.home.read(".claude/settings.json"), CLAUDE.replace("opus", "sonnet"));
    assert_eq!(served.home.read(".codex/config.toml"), codex);
    let opencode = served.json(".config/opencode/opencode.json");
    assert_eq!(opencode["provider"]["anthropic"]["options"], serde_json::json!({}));
    assert!(served.home.path(UNIT).exists() && !served.home.path("keeper/pid").exists());
    assert!(!served.home.path(RECORD).exists());
}

/// Behaviour 24.4 and 24.8: a stopped service is reported, and a second `init` starts it again.
#[test]
fn a_stopped_service_is_told_of_and_started_again() {
    let served = Served::new("stopped");
    served.home.well(&served.args());
    let process = fs::read_to_string(served.home.path("keeper/pid")).expect("a process");
    Command::new("kill").args(["-9", process.trim()]).status().expect("kill");
    fs::remove_file(served.home.path("keeper/pid")).expect("a file");
    let ran = served.home.doctor();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("claude, codex, opencode will fail, because http://"), "{ran:?}");
    assert!(
        ran.out.contains("systemctl --user start tersely") && ran.out.contains("tersely uninstall"),
        "{ran:?}"
    );
    let ran = served.home.well(&["init", "--service", "--listen", &served.listen, "--dry-run"]);
    assert!(ran.said.contains("the service is not running"), "{ran:?}");
    assert!(!served.home.path("keeper/pid").exists());
    let ran = served.home.well(&served.args());
    assert!(ran.said.contains("restarted after its process was killed"), "{ran:?}");
    served.home.well(&["uninstall", "--yes"]);
}

/// Behaviour 24.5: settings keep the address they were set up with until they are undone.
#[test]
fn another_address_needs_an_undo_first() {
    let served = Served::new("moved");
    served.home.put(".claude/settings.json", "{}", 0o644);
    let before = served.home.all();
    served.home.well(&served.args());
    served.asked();
    let once = served.home.all();
    let other = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").to_string();
    let ran = served.home.run(&["init", "--service", "--listen", &other, "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.said.contains("at an address other than") && ran.said.contains("tersely uninstall"),
        "{ran:?}"
    );
    served.asked();
    assert_eq!(served.home.all(), once);
    served.home.well(&["uninstall", "--yes"]);
    served.asked();
    assert_eq!(served.home.all(), before);
    let ran = served.home.run(&["init", "--service", "--listen", "0.0.0.0:8787", "--yes"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.said.contains("0.0.0.0:8787 must be a fixed address that only this machine can reach"),
        "{ran:?}"
    );
}

/// Behaviour 24.12: the same file gets the address and the status line, and loses both.
#[test]
fn a_status_line_goes_with_a_service() {
    let served = Served::new("line");
    let before = served.home.read(".claude/settings.json");
    let args = [&served.args()[..], &["--statusline"]].concat();
    served.home.well(&args);
    let settings = served.json(".claude/settings.json");
    assert_eq!(settings["env"]["ANTHROPIC_BASE_URL"], format!("http://{}", served.listen));
    let command = settings["statusLine"]["command"].as_str().expect("a command");
    assert!(command.ends_with("tersely statusline"), "{command}");
    let after = served.home.read(".claude/settings.json");
    served.home.well(&args);
    assert_eq!(served.home.read(".claude/settings.json"), after, "twice is once");
    served.home.well(&["uninstall", "--yes"]);
    assert_eq!(served.home.read(".claude/settings.json"), before);
}
