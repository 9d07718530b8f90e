//! Matches the objects (programs and libraries) of two profiles, for comparisons by object.
//!
//! 1. Equal paths are the same object.
//! 2. The main programs are the same object, if both profiles name theirs: a build that was renamed or lies elsewhere.
//! 3. Of the rest, equal file names are the same object if only one of each profile has it: another version directory.
//!
//! What none of these matches is in one profile only.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use lotse_model::Profile;

use crate::report::base_name;

/// Objects that have other paths in both profiles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectMatches {
    /// The new path by the old one.
    to_new: BTreeMap<String, String>,
    /// The main programs, if they differ: old and new.
    main: Option<(String, String)>,
}

impl ObjectMatches {
    /// Matches the objects of an old and a new profile.
    pub fn new(old: &Profile, new: &Profile) -> Self {
        let (mut olds, mut news) = (objects(old), objects(new));
        let shared: HashSet<&str> = olds.intersection(&news).copied().collect();
        olds.retain(|object| !shared.contains(object));
        news.retain(|object| !shared.contains(object));
        let main = main_object(old, &olds).zip(main_object(new, &news));
        let mut to_new = BTreeMap::new();
        if let Some((from, to)) = main {
            olds.remove(from);
            news.remove(to);
            to_new.insert(from.to_owned(), to.to_owned());
        }
        for from in &olds {
            let named = |object: &&&str| base_name(object) == base_name(from);
            let mut candidates = news.iter().filter(named);
            if let (Some(to), None, 1) =
                (candidates.next(), candidates.next(), olds.iter().filter(named).count())
            {
                to_new.insert((*from).to_owned(), (*to).to_owned());
            }
        }
        Self { to_new, main: main.map(|(from, to)| (from.to_owned(), to.to_owned())) }
    }

    /// The path that stands for an object of the old profile.
    pub fn new_path<'n>(&'n self, old: &'n str) -> &'n str {
        self.to_new.get(old).map_or(old, String::as_str)
    }

    /// The paths of the objects of the old profile that a path of the new one stands for.
    pub fn old_paths<'n>(&'n self, new: &'n str) -> impl Iterator<Item = &'n str> {
        self.to_new.iter().filter(move |(_, to)| *to == new).map(|(from, _)| from.as_str())
    }

    /// What is to be known about the rows of objects.
    pub fn notes(&self) -> Vec<String> {
        let main = self.main.as_ref().map(|(old, new)| {
            format!("{old} of the old and {new} of the new profile are one row: each is the main program")
        });
        let others = self.to_new.len() - usize::from(self.main.is_some());
        let moved = match others {
            0 => None,
            1 => Some(
                "1 other object has another path in the old profile: it is matched by its file name"
                    .to_owned(),
            ),
            count => Some(format!(
                "{count} other objects have other paths in the old profile: they are matched by their file names"
            )),
        };
        main.into_iter().chain(moved).collect()
    }
}

/// The objects that functions belong to.
fn objects(profile: &Profile) -> HashSet<&str> {
    profile.functions.ids().filter_map(|function| profile.function_object(function)).collect()
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

    use super::ObjectMatches;

    fn profile(command: Option<&str>, objects: &[&str]) -> Profile {
        let mut builder = Builder::new();
        builder.profile.command = command.map(str::to_owned);
        for object in objects {
            let object = builder.object(object);
            builder.function("f", object, FileId(0));
        }
        builder.finish()
    }

    /// The pairs of different paths.
    fn matched(old: (Option<&str>, &[&str]), new: (Option<&str>, &[&str])) -> Vec<(String, String)> {
        let matches = ObjectMatches::new(&profile(old.0, old.1), &profile(new.0, new.1));
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
