//! Finds programs that are started by name.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The file to start for `program`. On Windows, a bare name only finds an `.exe` file, but npm installs commands as
/// `.cmd` files.
#[must_use]
pub fn find_program(program: &OsStr) -> OsString {
    let path = if cfg!(windows) { env::var_os("PATH") } else { None };
    let script = path.and_then(|path| script(program, env::split_paths(&path)));
    script.map_or_else(|| program.to_owned(), PathBuf::into_os_string)
}

/// The script that a bare name refers to; `None` if an `.exe` file is found first.
fn script(program: &OsStr, mut folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let name = Path::new(program);
    if name.components().count() != 1 || name.extension().is_some() {
        return None;
    }
    let first = |folder: PathBuf| {
        let files = ["exe", "cmd", "bat"].map(|end| folder.join(name).with_extension(end));
        files.into_iter().find(|file| file.is_file())
    };
    folders.find_map(first).filter(|file| file.extension().is_some_and(|end| end != "exe"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_script_is_found_where_no_program_is_before_it() {
        let place = env::temp_dir().join(format!("tersely-find_program-{}", std::process::id()));
        let folders = ["empty", "scripts", "programs"].map(|name| place.join(name));
        for (folder, file) in [(1, "claude.cmd"), (1, "npx"), (2, "claude.exe"), (2, "npx.bat")] {
            fs::create_dir_all(&folders[folder]).unwrap();
            fs::write(folders[folder].join(file), "").unwrap();
        }
        let found = |name: &str, from: usize| script(OsStr::new(name), folders[from..].iter().cloned());
        assert_eq!(found("claude", 0), Some(folders[1].join("claude.cmd")));
        assert_eq!(found("npx", 0), Some(folders[2].join("npx.bat")));
        for name in ["codex", "claude.exe", "./claude", "scripts/claude", ""] {
            assert_eq!(found(name, 0), None, "{name}");
        }
        assert_eq!(found("claude", 2), None, "Windows finds it by itself");
        fs::remove_dir_all(&place).unwrap();
    }
}
