//! Guesses from the path of this program how it was installed, and therefore how to remove it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// A part of a path, and the command that removes a program with such a path.
const SIGNS: [(&str, &str); 8] = [
    ("/uv/tools/tersely/", "uv tool uninstall tersely"),
    ("/pipx/venvs/tersely/", "pipx uninstall tersely"),
    ("/node_modules/", "npm uninstall --global tersely"),
    ("/.cargo/bin/", "cargo uninstall tersely-cli"),
    ("/Cellar/", "brew uninstall tersely"),
    ("/homebrew/", "brew uninstall tersely"),
    ("/linuxbrew/", "brew uninstall tersely"),
    ("/Programs/tersely/", r"Remove-Item -Recurse $env:LOCALAPPDATA\Programs\tersely"),
];

/// The command that removes this program.
pub(super) fn removal() -> String {
    command(&path())
}

/// The path of this program and the command that removes it, as JSON.
pub(super) fn json() -> Value {
    let path = path();
    json!({ "path": path, "remove": command(&path) })
}

fn path() -> PathBuf {
    let path = std::env::current_exe().unwrap_or_default();
    fs::canonicalize(&path).unwrap_or(path)
}

fn command(path: &Path) -> String {
    let plain = path.to_string_lossy().replace('\\', "/");
    if let Some((_, command)) = SIGNS.iter().find(|(sign, _)| plain.contains(sign)) {
        return (*command).to_owned();
    }
    if is_python(path) {
        return "pip uninstall tersely".to_owned();
    }
    if plain == "/usr/bin/tersely" && Path::new("/var/lib/dpkg/info/tersely.list").exists() {
        return "sudo apt remove tersely".to_owned();
    }
    let shown = path.display().to_string();
    let is_plain = shown.chars().all(|letter| letter.is_alphanumeric() || "/._-".contains(letter));
    if is_plain { format!("rm {shown}") } else { format!("rm '{}'", shown.replace('\'', r"'\''")) }
}

/// True for a program that pip installed: the list of pip's packages is in a folder nearby.
fn is_python(path: &Path) -> bool {
    let Some(root) = path.parent().and_then(Path::parent) else { return false };
    let folders = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let named = |path: &Path, begin: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))
    };
    let pythons = ["lib", "Lib"].into_iter().flat_map(|name| {
        let lib = root.join(name);
        folders(lib.clone()).filter(|path| named(path, "python")).chain([lib]).collect::<Vec<_>>()
    });
    let mut packages = pythons.flat_map(|lib| {
        ["site-packages", "dist-packages"]
            .map(|name| lib.join(name))
            .into_iter()
            .flat_map(folders)
            .collect::<Vec<_>>()
    });
    packages.any(|path| named(&path, "tersely-") && path.extension().is_some_and(|end| end == "dist-info"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_tells_how_to_remove_it() {
        for (path, expected) in [
            ("/u/.cargo/bin/tersely", "cargo uninstall tersely-cli"),
            ("/u/lib/node_modules/tersely-linux-x64/bin/tersely", "npm uninstall --global tersely"),
            ("/opt/homebrew/bin/tersely", "brew uninstall tersely"),
            ("/u/.local/share/uv/tools/tersely/bin/tersely", "uv tool uninstall tersely"),
            ("/u/.local/bin/tersely", "rm /u/.local/bin/tersely"),
            ("/u/my bin/tersely", "rm '/u/my bin/tersely'"),
        ] {
            assert_eq!(command(Path::new(path)), expected);
        }
    }

    #[test]
    fn a_program_beside_python_s_packages_is_pip_s() {
        let root = std::env::temp_dir().join(format!("tersely-origin-{}", std::process::id()));
        fs::create_dir_all(root.join("lib/python3.12/site-packages/tersely-0.1.0.dist-info"))
            .expect("a folder");
        assert_eq!(command(&root.join("bin/tersely")), "pip uninstall tersely");
        let _ = fs::remove_dir_all(&root);
    }
}
