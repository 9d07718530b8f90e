//! Which lines of a source file are the same in an old and a new profile.
//!
//! 1. If both versions of the text are found, under different paths, lines with the same text are the same, though they moved.
//! 2. If the file did not change since the old profile was recorded, equal numbers are equal lines.
//! 3. Else lines with equal numbers are compared, but each line that was inserted or removed above shifts them.

use hashbrown::HashMap;

use super::align::align;
use crate::annotate::SourceTexts;
use crate::resolve::Files;

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
