//! Classifies the files of a diff by their paths.

/// The kind of a file, which determines how much of its changes is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A file that a person wrote.
    Written,
    /// A lock file, in which a package manager records versions.
    Lock,
    /// A file that no person wrote, such as a generated one, with a description.
    Dull(&'static str),
}

/// Lock files by name.
const LOCKS: [&str; 24] = [
    "pnpm-lock.yaml",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "bun.lock",
    "deno.lock",
    "Cargo.lock",
    "go.sum",
    "go.work.sum",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pixi.lock",
    "Pipfile.lock",
    "conda-lock.yml",
    "composer.lock",
    "Gemfile.lock",
    "Podfile.lock",
    "Package.resolved",
    "pubspec.lock",
    "mix.lock",
    "flake.lock",
    "packages.lock.json",
    "gradle.lockfile",
];

/// Extensions of generated files, each with a description.
const ENDINGS: [(&str, &str); 16] = [
    (".min.js", "minified file"),
    (".min.css", "minified file"),
    (".min.mjs", "minified file"),
    (".bundle.js", "minified file"),
    (".map", "source map"),
    (".snap", "snapshot"),
    (".pb.go", "generated file"),
    ("_pb2.py", "generated file"),
    ("_pb2_grpc.py", "generated file"),
    (".pb.cc", "generated file"),
    (".pb.h", "generated file"),
    (".g.dart", "generated file"),
    (".generated.ts", "generated file"),
    (".gen.go", "generated file"),
    (".designer.cs", "generated file"),
    (".ipynb", "notebook"),
];

/// Directories of third-party and generated files, each with a description.
const FOLDERS: [(&str, &str); 8] = [
    ("node_modules", "vendored file"),
    ("vendor", "vendored file"),
    ("third_party", "vendored file"),
    ("__snapshots__", "snapshot"),
    ("__generated__", "generated file"),
    ("generated", "generated file"),
    ("dist", "built file"),
    (".yarn", "vendored file"),
];

/// The kind of the file at `path`. `head` is the beginning of its diff.
pub(super) fn kind(path: &str, head: &str) -> FileKind {
    let path = path.trim_end_matches('"');
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if head.contains("\nGIT binary patch") {
        return FileKind::Dull("binary file");
    }
    if LOCKS.contains(&name) {
        return FileKind::Lock;
    }
    let ending = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
    let within = || FOLDERS.iter().find(|(part, _)| folder.split('/').any(|step| step == *part));
    ending.or_else(within).map_or(FileKind::Written, |(_, what)| FileKind::Dull(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_from_the_path() {
        for (path, expected) in [
            ("src/main.rs", FileKind::Written),
            ("vendor.rs", FileKind::Written),
            ("web/pnpm-lock.yaml", FileKind::Lock),
            ("Cargo.lock", FileKind::Lock),
            ("a/vendor/x/y.go", FileKind::Dull("vendored file")),
            ("static/app.min.js", FileKind::Dull("minified file")),
            ("t/__snapshots__/a.snap", FileKind::Dull("snapshot")),
            ("", FileKind::Written),
        ] {
            assert_eq!(kind(path, ""), expected, "{path}");
        }
        assert_eq!(kind("a.png", "x\nGIT binary patch\n"), FileKind::Dull("binary file"));
    }
}
