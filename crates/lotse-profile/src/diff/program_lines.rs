//! The lines of two whole programs compared: each line of the one with the same line of the other.
//!
//! Which lines are the same is decided file by file (see `line_files`). Where only numbers can be compared, a line is not
//! taken for one of another function; it is then in one profile only. Costs that are on both sides are never added up or lost.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::functions::Comparison;
use super::line_files::{FileLines, LineSources, LineTexts, SameBuilds};
use super::order::{DiffOrder, greatest};
use super::paths::PathMatches;
use super::{Change, Status};
use crate::answer::FunctionName;
use crate::events::Cost;
use crate::lines::RankedLine;
use crate::report::base_name;

/// How a line was found in the other profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LinePairing {
    /// Both versions of the source have this text; the line may have moved.
    Text,
    /// By its number, in a file or a library that did not change.
    Unchanged,
    /// By its number and function; it is not known whether lines moved.
    Number,
    /// Only the new profile has the line.
    New,
    /// Only the old profile has the line.
    Gone,
}

impl LinePairing {
    /// Whether the line is in both profiles.
    pub fn status(self) -> Status {
        match self {
            Self::New => Status::New,
            Self::Gone => Status::Gone,
            Self::Text | Self::Unchanged | Self::Number => Status::Matched,
        }
    }
}

/// A line with its changes from the old to the new profile.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedLine {
    /// File and line in the new profile; in the old one if only that has the line.
    pub file: String,
    pub line: u32,
    /// File and line in the old profile; `None` if only the new one has the line.
    pub old: Option<(String, u32)>,
    pub pairing: LinePairing,
    /// The function with the greatest self cost at the line.
    pub function: FunctionName,
    /// Whether that is a function of the old profile.
    pub is_old_function: bool,
    /// How many functions have costs or calls at the line.
    pub functions: usize,
    pub own: Vec<Change>,
    /// `None` where an inclusive cost is not known exactly.
    pub inclusive: Option<Vec<Change>>,
}

/// All lines of two programs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairedLines {
    pub lines: Vec<PairedLine>,
    /// By which rules lines were matched, and where that is not certain.
    pub notes: Vec<String>,
}

/// Matches the lines of two profiles, which are all lines of the sides of the comparison.
pub fn paired_lines(
    comparison: &Comparison<'_>,
    [old, new]: [&[RankedLine]; 2],
    sources: [LineSources<'_>; 2],
) -> PairedLines {
    let profiles = [0, 1].map(|at| comparison.sides[at].analysis.profile);
    let mut pairer = LinePairer {
        comparison,
        paths: PathMatches::files(profiles[0], profiles[1]),
        builds: SameBuilds::new(profiles, sources[1].files),
        texts: LineTexts::new(sources, profiles.map(|profile| profile.recorded)),
        rules: BTreeMap::new(),
        rows: [0, 1].map(|at| comparison.rows_by_function(at)),
        lines: Vec::new(),
    };
    pairer.pair(old, new);
    let notes = notes(&pairer.rules, &pairer.lines);
    PairedLines { lines: pairer.lines, notes }
}

impl PairedLines {
    /// Sorts lines by the event type that is ranked by, the greatest first; lines whose costs are not known come last.
    pub fn sort(&mut self, order: DiffOrder, inclusive: bool, ranked: usize) {
        let key = |line: &PairedLine| {
            let changes = if inclusive { line.inclusive.as_ref() } else { Some(&line.own) };
            greatest(changes.and_then(|changes| changes.get(ranked)).into_iter(), order)
        };
        let mut keyed: Vec<(Cost, PairedLine)> =
            self.lines.drain(..).map(|line| (key(&line), line)).collect();
        keyed.sort_by(|(a, one), (b, other)| {
            b.compare(a).then_with(|| {
                (&one.file, one.line, one.old.is_none()).cmp(&(&other.file, other.line, other.old.is_none()))
            })
        });
        self.lines.extend(keyed.into_iter().map(|(_, line)| line));
    }
}

impl Comparison<'_> {
    /// The row of each function of a side.
    fn rows_by_function(&self, side: usize) -> HashMap<FunctionId, usize> {
        let of_row = |(row, sides): (usize, &Vec<Vec<FunctionId>>)| {
            sides[side].iter().map(|&function| (function, row)).collect::<Vec<_>>()
        };
        self.rows.iter().enumerate().flat_map(of_row).collect()
    }
}

struct LinePairer<'c, 't> {
    comparison: &'c Comparison<'c>,
    paths: PathMatches,
    builds: SameBuilds<'t>,
    texts: LineTexts<'t>,
    /// The rule of each pair of files, by the old and the new path.
    rules: BTreeMap<(String, String), FileLines>,
    /// For both profiles, the row of the comparison that a function is in.
    rows: [HashMap<FunctionId, usize>; 2],
    lines: Vec<PairedLine>,
}

type Place<'l> = (&'l str, u32);

impl LinePairer<'_, '_> {
    fn pair(&mut self, old: &[RankedLine], new: &[RankedLine]) {
        let mut rest: BTreeMap<Place<'_>, &RankedLine> =
            new.iter().map(|line| ((line.file.as_str(), line.line), line)).collect();
        let mut old_paths: HashMap<String, String> = HashMap::new();
        for before in old {
            let path = self.paths.new_path(&before.file).to_owned();
            old_paths.insert(path.clone(), before.file.clone());
            self.pair_old(before, &path, &mut rest);
        }
        for after in rest.into_values() {
            let old_path = old_paths.get(&after.file).cloned();
            self.add_new(after, old_path);
        }
    }

    /// The rule for a line of a side, whose file has these paths; made at the first line of a pair of files.
    fn rule(&mut self, (side, function): (usize, FunctionId), old: &str, new: &str) -> &FileLines {
        let Self { rules, texts, builds, .. } = self;
        if builds.has(side, function) {
            return &FileLines::Unchanged;
        }
        rules.entry((old.to_owned(), new.to_owned())).or_insert_with(|| texts.match_lines(old, new))
    }

    fn pair_old<'l>(
        &mut self,
        before: &'l RankedLine,
        path: &str,
        rest: &mut BTreeMap<Place<'l>, &'l RankedLine>,
    ) {
        let (line, pairing) = match self.rule((0, before.id), &before.file, path) {
            FileLines::Aligned { to_new, .. } => match to_new.get(&before.line) {
                Some(&line) => (line, LinePairing::Text),
                None => return self.add(Some(before), None, LinePairing::Gone, None),
            },
            FileLines::Unchanged => (before.line, LinePairing::Unchanged),
            FileLines::Numbered(_) => (before.line, LinePairing::Number),
        };
        let is_known = pairing != LinePairing::Number;
        let found = rest.get(&(path, line)).copied();
        match found.filter(|after| is_known || self.is_same_function(before, after)) {
            Some(after) => {
                rest.remove(&(after.file.as_str(), line));
                self.add(Some(before), Some(after), pairing, None);
            }
            // The new profile has no cost at the line.
            _ if is_known => self.add(Some(before), None, pairing, Some((path.to_owned(), line))),
            _ => self.add(Some(before), None, LinePairing::Gone, None),
        }
    }

    /// Adds a line without a cost in the old profile, whose file has this path there.
    fn add_new(&mut self, after: &RankedLine, old_path: Option<String>) {
        let Some(old_path) = old_path else { return self.add(None, Some(after), LinePairing::New, None) };
        let (line, pairing) = match self.rule((1, after.id), &old_path, &after.file) {
            FileLines::Aligned { to_old, .. } => (to_old.get(&after.line).copied(), LinePairing::Text),
            FileLines::Unchanged => (Some(after.line), LinePairing::Unchanged),
            FileLines::Numbered(_) => (None, LinePairing::New),
        };
        match line {
            Some(line) => self.add(None, Some(after), pairing, Some((old_path, line))),
            None => self.add(None, Some(after), LinePairing::New, None),
        }
    }

    /// Lines of several functions are not told apart by them.
    fn is_same_function(&self, old: &RankedLine, new: &RankedLine) -> bool {
        let row = |at: usize, line: &RankedLine| self.rows[at].get(&line.id);
        old.functions > 1 || new.functions > 1 || row(0, old) == row(1, new) && row(0, old).is_some()
    }

    /// Adds a row; `other` is the place in the profile that has no cost at the line.
    fn add(
        &mut self,
        old: Option<&RankedLine>,
        new: Option<&RankedLine>,
        pairing: LinePairing,
        other: Option<(String, u32)>,
    ) {
        let Some(shown) = new.or(old) else { return };
        let place = |line: &RankedLine| (line.file.clone(), line.line);
        let (file, line) = new.map(place).or_else(|| other.clone()).unwrap_or_else(|| place(shown));
        let changes = |old: Option<&Vec<Cost>>, new: Option<&Vec<Cost>>| self.comparison.changes(old, new, 1);
        let is_exact = |line: Option<&RankedLine>| line.is_none_or(|line| line.inclusive.is_some());
        let inclusive = |line: Option<&RankedLine>| line.and_then(|line| line.inclusive.clone());
        let row = PairedLine {
            file,
            line,
            old: old.map(place).or(other).filter(|_| pairing != LinePairing::New),
            pairing,
            function: shown.function.clone(),
            is_old_function: new.is_none(),
            functions: shown.functions,
            own: changes(old.map(|line| &line.own), new.map(|line| &line.own)),
            inclusive: (is_exact(old) && is_exact(new))
                .then(|| changes(inclusive(old).as_ref(), inclusive(new).as_ref())),
        };
        self.lines.push(row);
    }
}

/// Which rules were used, for how many lines, and why lines may have moved.
fn notes(rules: &BTreeMap<(String, String), FileLines>, lines: &[PairedLine]) -> Vec<String> {
    let count = |pairing: LinePairing| lines.iter().filter(|line| line.pairing == pairing).count();
    let moved = lines.iter().filter(|line| {
        line.pairing == LinePairing::Text && line.old.as_ref().is_some_and(|(_, number)| *number != line.line)
    });
    let mut notes = Vec::new();
    if count(LinePairing::Text) > 0 {
        notes.push(format!(
            "{} lines are matched by their text in both sources, {} of them moved",
            count(LinePairing::Text),
            moved.count()
        ));
    }
    if count(LinePairing::Unchanged) > 0 {
        notes.push(format!(
            "{} lines are matched by number, because their program, library or source is the same build, or was last changed \
             before both profiles were recorded",
            count(LinePairing::Unchanged)
        ));
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ((_, path), rule) in rules {
        if let FileLines::Numbered(reason) = rule {
            reasons.entry(reason).or_default().push(base_name(path));
        }
    }
    for (reason, files) in reasons {
        notes.push(format!(
            "lines of {} are matched by number and function, because {reason}: code that was inserted or removed above \
             shifts them",
            named(&files)
        ));
    }
    notes
}

/// The first names, and how many more there are.
fn named(files: &[&str]) -> String {
    const NAMED: usize = 3;
    let first: Vec<&str> =
        files.iter().take(NAMED).map(|file| if file.is_empty() { "???" } else { *file }).collect();
    match files.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more files", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
