//! Finds which file imports from which: follows `use` lines through re-exports to the definition.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;

/// A crate and a module path.
type Place = (String, Vec<String>);

/// The imports between the files of a workspace.
pub(crate) struct Imports<'s> {
    files: BTreeMap<Place, &'s Source>,
    leaves: BTreeMap<&'s str, Vec<Place>>,
}

impl<'s> Imports<'s> {
    pub(crate) fn of(sources: &'s [Source]) -> Self {
        let files: BTreeMap<_, _> = sources.iter().map(|source| (module(source), source)).collect();
        let mut imports = Self { files, leaves: BTreeMap::new() };
        for source in sources {
            let leaves =
                uses(&source.code).iter().filter_map(|path| imports.absolute(source, path)).collect();
            imports.leaves.insert(&source.path, leaves);
        }
        imports
    }

    /// The files that each file imports from.
    pub(crate) fn arrows(&self) -> BTreeMap<&'s str, BTreeSet<&'s str>> {
        let targets = |leaves: &Vec<Place>| leaves.iter().filter_map(|leaf| self.origin(leaf, 0)).collect();
        let mut arrows: BTreeMap<&str, BTreeSet<&str>> =
            self.leaves.iter().map(|(path, leaves)| (*path, targets(leaves))).collect();
        for (path, targets) in &mut arrows {
            targets.retain(|target| target != path && !is_list_of(target, path));
        }
        arrows
    }

    /// The path from the crate root, if the crate is in this workspace.
    fn absolute(&self, source: &Source, path: &[String]) -> Option<Place> {
        let (room, mut base) = module(source);
        let first = path.first()?.as_str();
        if let Some(other) = first.strip_prefix("tersely_") {
            return Some((other.to_owned(), path[1..].to_vec()));
        }
        match first {
            "crate" => return Some((room, path[1..].to_vec())),
            "self" => base.extend_from_slice(&path[1..]),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                base.truncate(base.len().checked_sub(ups)?);
                base.extend_from_slice(&path[ups..]);
            }
            child => {
                let inside = [base.as_slice(), &[child.to_owned()]].concat();
                self.files.get(&(room.clone(), inside))?;
                base.extend_from_slice(path);
            }
        }
        Some((room, base))
    }

    /// The file that defines the item at a path; a module is defined by its own file.
    fn origin(&self, place: &Place, depth: usize) -> Option<&'s str> {
        if let Some(file) = self.files.get(place) {
            return Some(&file.path);
        }
        let (name, above) = place.1.split_last()?;
        let file = self.files.get(&(place.0.clone(), above.to_vec()))?;
        let passed = self.leaves.get(file.path.as_str()).filter(|_| depth < 8);
        let passed = passed.into_iter().flatten().find(|leaf| leaf.1.last() == Some(name) && *leaf != place);
        passed.and_then(|leaf| self.origin(leaf, depth + 1)).or(Some(&file.path))
    }
}

/// True if `list` is the `mod.rs` of a folder that contains `path`: a folder and its `mod.rs` count as one.
fn is_list_of(list: &str, path: &str) -> bool {
    list.strip_suffix("mod.rs").is_some_and(|folder| path.starts_with(folder))
}

/// Import cycles: groups of files that reach each other.
pub(crate) fn circles<'n>(arrows: &BTreeMap<&'n str, BTreeSet<&'n str>>) -> Vec<Vec<&'n str>> {
    let reach: BTreeMap<_, _> = arrows.keys().map(|start| (*start, reached(arrows, start))).collect();
    let mut circles: BTreeSet<Vec<&str>> = BTreeSet::new();
    for (one, beyond) in &reach {
        let back = |other: &&&str| reach.get(**other).is_some_and(|it| it.contains(one));
        let circle: Vec<&str> = beyond.iter().filter(back).copied().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// Everything reachable from `start` in one or more steps.
fn reached<'n>(arrows: &BTreeMap<&'n str, BTreeSet<&'n str>>, start: &str) -> BTreeSet<&'n str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = arrows.get(start).into_iter().flatten().copied().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(arrows.get(next).into_iter().flatten());
        }
    }
    reached
}

/// The module path of a file.
fn module(source: &Source) -> Place {
    let inside = source.path.split_once("/src/").map_or("", |(_, inside)| inside);
    let mut parts: Vec<String> = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    (source.room.clone(), parts)
}

/// Every path in `use` lines, one for each leaf.
fn uses(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for statement in code.split(';') {
        let Some((before, tree)) = statement.rsplit_once("use ") else { continue };
        if before
            .trim_end()
            .ends_with(|last: char| last.is_alphanumeric() && !before.trim_end().ends_with("pub"))
        {
            continue;
        }
        leaves(&[], tree, &mut found);
    }
    found
}

/// The leaves of a `use` tree below `above`.
fn leaves(above: &[String], tree: &str, found: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let (path, group) =
        tree.split_once('{').map_or((tree, None), |(path, group)| (path, group.strip_suffix('}')));
    let parts = path.split("::").map(|part| part.split(" as ").next().unwrap_or_default().trim().to_owned());
    let path: Vec<String> = above.iter().cloned().chain(parts.filter(|part| !part.is_empty())).collect();
    let Some(group) = group else {
        found.push(path.into_iter().filter(|part| part != "*").collect());
        return;
    };
    let (mut depth, mut start) = (0_usize, 0);
    for (at, sign) in group.char_indices().chain([(group.len(), ',')]) {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    leaves(&path, &group[start..at], found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}
