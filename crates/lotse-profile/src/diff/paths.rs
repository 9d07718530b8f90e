//! Matches the objects (programs and libraries) or the source files of two profiles, for comparisons by object or by file.
//!
//! 1. Equal paths are the same.
//! 2. The main programs are the same object, if both profiles name theirs: a build that was renamed or lies elsewhere.
//! 3. Of the rest, paths with the same file name and the most folders before it in common are the same, if each is the only
//!    such path for the other: another version directory, another checkout.
//!
//! ```text
//! old            new
//! v1/a/mod.rs    v2/a/mod.rs    the same: two names in common, and none has more
//! v1/main.c      x/y/main.c     the same: no other file has that name
//! one/libx.so    three/libx.so  not known: two/libx.so has the same name
//! two/libx.so
//! ```
//!
//! What none of these matches is in one profile only.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use lotse_model::Profile;

use crate::report::base_name;

/// Objects or files that have other paths in both profiles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathMatches {
    /// The new path by the old one.
    to_new: BTreeMap<String, String>,
    /// The main programs, if they differ: old and new.
    main: Option<(String, String)>,
    /// What the paths are paths of.
    what: &'static str,
}

impl PathMatches {
    /// Matches the objects of an old and a new profile.
    pub fn objects(old: &Profile, new: &Profile) -> Self {
        let (mut olds, mut news) = only_in_one(objects(old), objects(new));
        let main = main_object(old, &olds).zip(main_object(new, &news));
        let mut to_new = BTreeMap::new();
        if let Some((from, to)) = main {
            olds.remove(from);
            news.remove(to);
            to_new.insert(from.to_owned(), to.to_owned());
        }
        to_new.extend(by_file_name(&olds, &news));
        let main = main.map(|(from, to)| (from.to_owned(), to.to_owned()));
        Self { to_new, main, what: "object" }
    }

    /// Matches the source files of an old and a new profile.
    pub fn files(old: &Profile, new: &Profile) -> Self {
        let (olds, news) = only_in_one(files(old), files(new));
        Self { to_new: by_file_name(&olds, &news).collect(), main: None, what: "file" }
    }

    /// The path that stands for one of the old profile.
    pub fn new_path<'n>(&'n self, old: &'n str) -> &'n str {
        self.to_new.get(old).map_or(old, String::as_str)
    }

    /// The paths of the old profile that a path of the new one stands for.
    pub fn old_paths<'n>(&'n self, new: &'n str) -> impl Iterator<Item = &'n str> {
        self.to_new.iter().filter(move |(_, to)| *to == new).map(|(from, _)| from.as_str())
    }

    /// What is to be known about the rows.
    pub fn notes(&self) -> Vec<String> {
        let main = self.main.as_ref().map(|(old, new)| {
            format!("{old} of the old and {new} of the new profile are one row: each is the main program")
        });
        let (what, other) = (self.what, if main.is_some() { "other " } else { "" });
        let moved = match self.to_new.len() - usize::from(self.main.is_some()) {
            0 => None,
            1 => Some(format!(
                "1 {other}{what} has another path in the old profile: it is matched by its file name"
            )),
            count => Some(format!(
                "{count} {other}{what}s have other paths in the old profile: they are matched by their file names"
            )),
        };
        main.into_iter().chain(moved).collect()
    }
}

/// The objects that functions belong to.
fn objects(profile: &Profile) -> HashSet<&str> {
    profile.functions.ids().filter_map(|function| profile.function_object(function)).collect()
}

/// The files that functions are defined in.
fn files(profile: &Profile) -> HashSet<&str> {
    profile.functions.ids().filter_map(|function| profile.function_file(function)).collect()
}

/// The paths that only the old, and those that only the new profile has.
fn only_in_one<'p>(old: HashSet<&'p str>, new: HashSet<&'p str>) -> (HashSet<&'p str>, HashSet<&'p str>) {
    let only = |all: &HashSet<&'p str>, others: &HashSet<&'p str>| all.difference(others).copied().collect();
    (only(&old, &new), only(&new, &old))
}

/// Pairs of paths with the same file name and most folders before it in common, if these are unique.
fn by_file_name(olds: &HashSet<&str>, news: &HashSet<&str>) -> impl Iterator<Item = (String, String)> {
    let (olds_by_name, news_by_name) = (grouped(olds), grouped(news));
    let none = Vec::new();
    let mut pairs = Vec::new();
    for (name, olds) in &olds_by_name {
        let news = news_by_name.get(name).unwrap_or(&none);
        for &from in olds {
            let to = most_alike(from, news).filter(|to| most_alike(to, olds) == Some(from));
            pairs.extend(to.map(|to| (from.to_owned(), to.to_owned())));
        }
    }
    pairs.into_iter()
}

fn grouped<'p>(paths: &HashSet<&'p str>) -> HashMap<&'p str, Vec<&'p str>> {
    let mut groups: HashMap<&str, Vec<&str>> = HashMap::new();
    paths.iter().for_each(|path| groups.entry(base_name(path)).or_default().push(path));
    groups
}

/// The path that has the most names at the end in common with another one; none if several have as many.
fn most_alike<'p>(path: &str, others: &[&'p str]) -> Option<&'p str> {
    let in_common = |other: &str| {
        let names = path.rsplit('/').zip(other.rsplit('/'));
        names.take_while(|(a, b)| a == b).count()
    };
    let most = others.iter().map(|other| in_common(other)).max()?;
    let mut best = others.iter().filter(|other| in_common(other) == most);
    best.next().filter(|_| best.next().is_none()).copied()
}

/// The object that the command of a profile starts: the first word of the command that has the file name of an object. Only
/// one object may have that name.
///
/// ```text
/// ./old/prog -v data         ./old/prog
/// perf record -g ./prog      ./prog: what perf itself is does not count
/// ```
fn main_object<'p>(profile: &'p Profile, objects: &HashSet<&'p str>) -> Option<&'p str> {
    let mut words: Vec<&str> = profile.command.as_deref()?.split_whitespace().collect();
    if words.len() > 1 && base_name(words[0]) == "perf" {
        words.remove(0);
    }
    let named = |word: &&str| objects.iter().any(|object| base_name(object) == base_name(word));
    let word = words.into_iter().find(named)?;
    let mut found = objects.iter().filter(|object| base_name(object) == base_name(word));
    found.next().filter(|_| found.next().is_none()).copied()
}

#[cfg(test)]
mod tests {
    use lotse_model::Profile;
    use lotse_model::id::FileId;
    use lotse_model::profile::Builder;

    use super::PathMatches;

    fn profile(command: Option<&str>, objects: &[&str]) -> Profile {
        let mut builder = Builder::new();
        builder.profile.command = command.map(str::to_owned);
        for object in objects {
            let object = builder.object(object);
            builder.function("f", object, FileId(0));
        }
        builder.finish()
    }

    fn with_files(files: &[&str]) -> Profile {
        let mut builder = Builder::new();
        for file in files {
            let (object, file) = (builder.object("prog"), builder.file(file));
            builder.function("f", object, file);
        }
        builder.finish()
    }

    /// The pairs of different paths.
    fn matched(old: (Option<&str>, &[&str]), new: (Option<&str>, &[&str])) -> Vec<(String, String)> {
        let matches = PathMatches::objects(&profile(old.0, old.1), &profile(new.0, new.1));
        matches.to_new.into_iter().collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect()
    }

    #[test]
    fn main_programs_are_one_object() {
        for (old, new) in [
            ("./old/prog -v", "./new/prog2"),
            ("perf record -g -- ./old/prog", "/usr/bin/perf record -F 99 prog2 data"),
        ] {
            let found = matched(
                (Some(old), &["/a/old/prog", "/lib/libc.so.6"]),
                (Some(new), &["/a/new/prog2", "/lib/libc.so.6"]),
            );
            assert_eq!(found, pairs(&[("/a/old/prog", "/a/new/prog2")]), "{old}");
        }
    }

    #[test]
    fn other_objects_are_matched_by_their_file_names() {
        let old = ["/store/z-1.2/lib/libz.so.1", "/one/libx.so", "/two/libx.so", "/a/prog"];
        let new = ["/store/z-1.3/lib/libz.so.1", "/three/libx.so", "/b/prog"];
        let found = matched((None, &old), (None, &new));
        assert_eq!(found, pairs(&[("/a/prog", "/b/prog"), (old[0], new[0])]));
    }

    #[test]
    fn files_are_matched_by_the_most_names_in_common() {
        let old = ["v1/main.c", "v1/a/mod.c", "v1/b/mod.c", "x/u.c", "y/u.c", "same.c"];
        let new = ["v2/main.c", "v2/a/mod.c", "v2/b/mod.c", "z/u.c", "same.c"];
        let matches = PathMatches::files(&with_files(&old), &with_files(&new));
        let found: Vec<(String, String)> = matches.to_new.clone().into_iter().collect();
        assert_eq!(
            found,
            pairs(&[("v1/a/mod.c", "v2/a/mod.c"), ("v1/b/mod.c", "v2/b/mod.c"), ("v1/main.c", "v2/main.c")])
        );
        let note = "3 files have other paths in the old profile: they are matched by their file names";
        assert_eq!(matches.notes(), [note]);
    }

    /// Without a command, and for a command whose program has no costs, a renamed program stays in one profile.
    #[test]
    fn what_is_not_known_is_not_guessed() {
        let (old, new): (&[&str], &[&str]) = (&["/a/prog"], &["/a/prog2"]);
        assert_eq!(matched((None, old), (Some("./prog2"), new)), []);
        assert_eq!(matched((Some("sh run.sh"), old), (Some("./prog2"), new)), []);
        // Both profiles have both programs: nothing was renamed.
        let both: &[&str] = &["/a/prog", "/a/prog2"];
        assert_eq!(matched((Some("./prog"), both), (Some("./prog2"), both)), []);
    }
}
