//! The files that are opened: where they come from, what is known about them, what is aimed at.

use std::fs;
use std::path::{Path, PathBuf};

use super::Peer;
use crate::callgrind::{self, Answer, Size};
use crate::callgrind_check::{Check, Top};
use crate::callgrind_of_rustc;
use crate::collapsed::{self, Stacks};
use crate::error::Error;
use crate::lotse::Lotse;
use crate::workshop::Workshop;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FileKind {
    /// About 550 MB, made by a generator that knows what is in it
    Generated,
    /// rustc -O on a small program, with instructions and jumps
    Rustc,
    /// 54 MB of deep collapsed stacks with the templated names of C++
    Collapsed,
    /// 54 MB of deep collapsed stacks with short names
    Short,
}

/// A file that is there.
#[derive(Debug)]
pub struct Subject {
    /// Which one.
    pub kind: FileKind,
    /// Where it is.
    pub path: PathBuf,
    /// How long it is.
    pub bytes: u64,
    known: Known,
}

#[derive(Debug)]
enum Known {
    All(Box<Answer>),
    Totals(Vec<u64>),
    Stacks(collapsed::Answer),
}

/// The most that Lotse shall need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// Wall seconds.
    pub wall_seconds: Option<f64>,
    /// Anonymous memory in bytes.
    pub anonymous_bytes: Option<f64>,
}

impl FileKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Generated, Self::Rustc, Self::Collapsed, Self::Short];

    /// What the tables and the journal call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Rustc => "rustc",
            Self::Collapsed => "collapsed",
            Self::Short => "short",
        }
    }

    /// The format, which is also the end of the file's name.
    pub fn format(self) -> &'static str {
        match self {
            Self::Generated | Self::Rustc => "callgrind",
            Self::Collapsed | Self::Short => "collapsed",
        }
    }

    /// What is aimed at with this file, if anything.
    pub fn goal(self, peer: Peer) -> Option<Goal> {
        let opened =
            |cpu, bytes| Goal { cpu_seconds: Some(cpu), wall_seconds: None, anonymous_bytes: Some(bytes) };
        match (self, peer) {
            (Self::Generated, Peer::Lotse) => Some(opened(2.4, 1.0e9)),
            (Self::Generated, Peer::LotseAgain) => {
                Some(Goal { cpu_seconds: None, wall_seconds: Some(0.050), anonymous_bytes: None })
            }
            (Self::Rustc, Peer::Lotse) => Some(opened(0.25, 150e6)),
            (Self::Collapsed | Self::Short, Peer::Lotse) => Some(opened(1.0, 150e6)),
            _ => None,
        }
    }
}

impl Subject {
    /// Makes a file in a folder, or finds it there.
    pub fn make(kind: FileKind, folder: &Path, workshop: &mut Workshop) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        let path = folder.join(kind.name()).with_extension(kind.format());
        let known = match kind {
            FileKind::Generated => Known::All(Box::new(callgrind::file(&path, Size::LARGE)?)),
            FileKind::Rustc => {
                callgrind_of_rustc::file(&path, workshop)?;
                Known::Totals(callgrind_of_rustc::totals(&path)?)
            }
            FileKind::Collapsed => Known::Stacks(collapsed::file(&path, Stacks::TEMPLATED)?),
            FileKind::Short => Known::Stacks(collapsed::file(&path, Stacks::SHORT)?),
        };
        let bytes = fs::metadata(&path).map_err(Error::file("read", &path))?.len();
        Ok(Self { kind, path, bytes, known })
    }

    /// Compares what Lotse says about the file with what is known; with and without its index.
    pub fn check(
        &self,
        workshop: &mut Workshop,
        lotse: &Lotse,
        options: &[&str],
    ) -> Result<Vec<Check>, Error> {
        let top = Top::query(workshop, lotse, &self.path, options)?;
        Ok(match &self.known {
            Known::All(answer) => top.check(answer),
            Known::Totals(totals) => vec![top.check_totals(totals)],
            Known::Stacks(answer) => top.check_stacks(answer),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{FileKind, Peer};

    #[test]
    fn only_lotse_has_goals() {
        let with_goal = |kind: FileKind| Peer::ALL.into_iter().filter(move |it| kind.goal(*it).is_some());
        assert!(with_goal(FileKind::Generated).eq([Peer::Lotse, Peer::LotseAgain]));
        assert!(with_goal(FileKind::Rustc).eq([Peer::Lotse]));
        assert!(with_goal(FileKind::Collapsed).eq([Peer::Lotse]));
    }
}
