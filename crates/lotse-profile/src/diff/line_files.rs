//! Which lines of a source file are the same in an old and a new profile.
//!
//! 1. If the code is in the same build of a program or library, such as the C library, equal numbers are equal lines.
//! 2. If both versions of the text are found, under different paths, lines with the same text are the same, though they moved.
//! 3. If the file did not change since the old profile was recorded, equal numbers are equal lines.
//! 4. Else lines with equal numbers are compared, but each line that was inserted or removed above shifts them.

use hashbrown::HashMap;

use lotse_model::Profile;
use lotse_model::id::FunctionId;

use super::align::align;
use crate::annotate::SourceTexts;
use crate::resolve::{Files, newer};

/// Where the source texts of one profile are searched for.
#[derive(Clone, Copy)]
pub struct LineSources<'a> {
    pub files: &'a dyn Files,
    /// Folders that are searched before the paths in the profile.
    pub directories: &'a [String],
}

/// How the lines of a file are matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileLines {
    /// By text: the line of the other version, in both directions.
    Aligned { to_new: HashMap<u32, u32>, to_old: HashMap<u32, u32> },
    /// By number: it is the same version of the file.
    Unchanged,
    /// By number: lines may have moved, for this reason.
    Numbered(&'static str),
}

/// Which programs and libraries are the same build in both profiles.
pub(super) struct SameBuilds<'a> {
    profiles: [&'a Profile; 2],
    files: &'a dyn Files,
    known: HashMap<String, bool>,
}

impl<'a> SameBuilds<'a> {
    pub(super) fn new(profiles: [&'a Profile; 2], files: &'a dyn Files) -> Self {
        Self { profiles, files, known: HashMap::new() }
    }

    /// Whether both profiles were recorded with the same build of the object that a function of a side is in.
    pub(super) fn has(&mut self, side: usize, function: FunctionId) -> bool {
        let Some(path) = self.profiles[side].function_object(function) else { return false };
        if let Some(&known) = self.known.get(path) {
            return known;
        }
        let is_same = self.is_same(path);
        self.known.insert(path.to_owned(), is_same);
        is_same
    }

    /// By build ids, else by the time of the last change of the file.
    fn is_same(&self, path: &str) -> bool {
        let builds = self.profiles.map(|profile| {
            let has_path = |object: &usize| profile.text(profile.objects[*object]) == path;
            (0..profile.objects.len()).filter(has_path).map(|at| profile.build(at.into())).collect::<Vec<_>>()
        });
        match &builds {
            [old, new] if old.is_empty() || new.is_empty() => false,
            [old, new] if old.iter().chain(new).all(Option::is_some) => old == new,
            _ => self.profiles.iter().all(|profile| {
                let is_known = profile.recorded.is_some() && self.files.modified(path).is_some();
                is_known && newer(self.files, path, profile.recorded, "code").is_none()
            }),
        }
    }
}

/// The source texts of both profiles.
pub(super) struct LineTexts<'a> {
    old: SourceTexts<'a>,
    new: SourceTexts<'a>,
}

impl<'a> LineTexts<'a> {
    /// The texts for profiles that were recorded at these times.
    pub(super) fn new(sources: [LineSources<'a>; 2], recorded: [Option<i64>; 2]) -> Self {
        let texts = |at: usize| {
            SourceTexts::new(sources[at].files, sources[at].directories, HashMap::new(), recorded[at])
        };
        Self { old: texts(0), new: texts(1) }
    }

    /// How the lines of a file are matched that has these paths in the old and the new profile.
    pub(super) fn match_lines(&mut self, old: &str, new: &str) -> FileLines {
        let (Some(before), Some(after)) = (self.old.version(old), self.new.version(new)) else {
            return FileLines::Numbered("the source is not found");
        };
        match (before.is_newer, after.is_newer) {
            (Some(true), _) | (_, Some(true)) => {
                FileLines::Numbered("the source was changed after a profile was recorded")
            }
            (Some(false), Some(false)) if before.path == after.path => FileLines::Unchanged,
            _ if before.path == after.path => {
                FileLines::Numbered("it is not known whether the source was changed in between")
            }
            _ => aligned(before.lines, after.lines),
        }
    }
}

fn aligned(old: &[String], new: &[String]) -> FileLines {
    let [a, b] = [old, new].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (mut to_new, mut to_old) = (HashMap::new(), HashMap::new());
    for pair in align(&a, &b) {
        if let (Some(a), Some(b)) = pair {
            let (a, b) = (a as u32 + 1, b as u32 + 1);
            to_new.insert(a, b);
            to_old.insert(b, a);
        }
    }
    FileLines::Aligned { to_new, to_old }
}
