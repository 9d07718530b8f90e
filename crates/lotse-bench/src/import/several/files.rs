//! Several results under distinct names, each alone and all together.

use std::collections::BTreeSet;

use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{Design, ResultSet};

use super::ImportError;
use crate::control;
use crate::import::Imported;
use crate::shell_error::ShellError;
use crate::trial::blocks_made;

/// The files of a report.
pub(super) struct Files {
    pub(super) imported: Vec<Imported>,
    /// The result of each file, with distinct names of programs.
    pub(super) parts: Vec<ResultSet>,
    /// All results without control arms; ids and blocks of later files follow those of earlier ones.
    pub(super) joined: ResultSet,
    /// Index of the first program of each file in `joined`.
    offsets: Vec<usize>,
}

impl Files {
    pub(super) fn new(imported: Vec<Imported>) -> Self {
        let shared = shared_names(&imported);
        let joined = ResultSet { design: Design::Sequential, ..ResultSet::default() };
        let mut files = Self { imported, parts: Vec::new(), joined, offsets: Vec::new() };
        for file in 0..files.imported.len() {
            files.append(file, &shared);
        }
        files
    }

    fn append(&mut self, file: usize, shared: &BTreeSet<String>) {
        let Imported { label, set, .. } = &self.imported[file];
        let mut part = set.clone();
        for program in part.programs.iter_mut().filter(|program| !control::is_control(program)) {
            if shared.contains(&program.name) {
                program.name = format!("{} ({label})", program.name);
            }
            program.name = distinct(&self.joined, &program.name);
        }
        self.offsets.push(self.joined.programs.len());
        self.join(control::without_arm(&part));
        self.parts.push(part);
    }

    fn join(&mut self, part: ResultSet) {
        let (offset, first_block) = (self.joined.programs.len(), blocks_made(&self.joined));
        self.joined.programs.extend(part.programs);
        self.joined.runs.extend(part.runs.into_iter().map(|mut run| {
            run.program = ProgramId::from(run.program.index() + offset);
            run.block = BlockId(run.block.0.saturating_add(first_block));
            run
        }));
        for metric in part.metrics {
            if !self.joined.metrics.iter().any(|known| known.name == metric.name) {
                self.joined.metrics.push(metric);
            }
        }
        self.joined.machine = self.joined.machine.take().or(part.machine);
        self.joined.date = self.joined.date.take().or(part.date);
    }

    /// The metric to compare: the chosen one, else the primary metric of the first file, else wall time or the first metric.
    pub(super) fn primary(&self, chosen: Option<&str>) -> Result<String, ImportError> {
        let planned = self.imported.first().and_then(|file| file.question.primary.as_deref());
        let metric = chosen.or(planned).map(str::to_owned).or_else(|| crate::import::primary(&self.joined));
        let metric = metric.ok_or(ImportError::Empty)?;
        if self.joined.program_ids().any(|id| !self.joined.samples(id, &metric).is_empty()) {
            return Ok(metric);
        }
        let measured =
            |name: &str| self.joined.program_ids().any(|id| !self.joined.samples(id, name).is_empty());
        let known = self.joined.metrics.iter().map(|metric| metric.name.as_str());
        let known: Vec<&str> = known.filter(|name| measured(name)).collect();
        if known.is_empty() {
            // If no run was successful, the report says so.
            return if self.joined.runs.is_empty() { Err(ImportError::Empty) } else { Ok(metric) };
        }
        Err(ImportError::NoSuchMetric { metric, known: known.join(", ") })
    }

    /// Pairs of a reference and a program of another file: with the chosen reference, else programs of the same name, else all
    /// programs of later files with the reference of the first.
    pub(super) fn across(&self, chosen: Option<&str>) -> Result<Vec<(ProgramId, ProgramId)>, ImportError> {
        let ids = || self.joined.program_ids();
        let elsewhere = |reference: ProgramId| {
            ids()
                .filter(move |id| self.file_of(*id) != self.file_of(reference))
                .map(move |id| (reference, id))
        };
        if let Some(name) = chosen {
            return Ok(elsewhere(self.named(name)?).collect());
        }
        let first = |id: ProgramId| ids().find(|other| self.original(*other) == self.original(id));
        let by_name = ids().filter_map(|id| Some((first(id)?, id)));
        let by_name: Vec<_> =
            by_name.filter(|(first, id)| self.file_of(*first) != self.file_of(*id)).collect();
        if !by_name.is_empty() {
            return Ok(by_name);
        }
        let reference = (0..self.parts.len()).find_map(|file| {
            let inside = self.reference_inside(file, None)?;
            self.joined.program_named(&self.parts[file].programs[inside.index()].name)
        });
        Ok(reference.into_iter().flat_map(elsewhere).collect())
    }

    /// The reference for comparisons within a file, as an id of that file. `None` if the file has no program or the chosen
    /// reference is in another file.
    pub(super) fn reference_inside(&self, file: usize, chosen: Option<&str>) -> Option<ProgramId> {
        let (part, imported) = (&self.parts[file], &self.imported[file]);
        if let Some(chosen) = chosen {
            let reference = self.named(chosen).ok()?;
            return part.program_named(&self.joined.programs[reference.index()].name);
        }
        let planned =
            imported.question.reference.as_deref().and_then(|name| imported.set.program_named(name));
        planned.or_else(|| part.program_ids().next())
    }

    /// The error bounds of the shell's cost that was subtracted from the times of a program.
    pub(super) fn shell_of(&self, id: ProgramId) -> Option<&ShellError> {
        self.imported[self.file_of(id)].shell()
    }

    fn file_of(&self, id: ProgramId) -> usize {
        self.offsets.iter().rposition(|offset| *offset <= id.index()).unwrap_or(0)
    }

    /// The original name of a program in its file.
    fn original(&self, id: ProgramId) -> &str {
        let file = self.file_of(id);
        let shown = self.imported[file].set.programs.iter().filter(|program| !control::is_control(program));
        shown.map(|program| program.name.as_str()).nth(id.index() - self.offsets[file]).unwrap_or("")
    }

    /// The program with this distinct name, or the first with this original name.
    fn named(&self, name: &str) -> Result<ProgramId, ImportError> {
        let first = || self.joined.program_ids().find(|id| self.original(*id) == name);
        self.joined.program_named(name).or_else(first).ok_or_else(|| {
            let known: Vec<&str> = self.joined.programs.iter().map(|program| program.name.as_str()).collect();
            ImportError::NoSuchProgram { name: name.to_owned(), known: known.join(", ") }
        })
    }
}

/// Names of programs that are in more than one file.
fn shared_names(files: &[Imported]) -> BTreeSet<String> {
    let names = |file: &Imported| -> BTreeSet<String> {
        control::without_arm(&file.set).programs.into_iter().map(|program| program.name).collect()
    };
    let mut seen = BTreeSet::new();
    files.iter().flat_map(names).filter(|name| !seen.insert(name.clone())).collect()
}

fn distinct(set: &ResultSet, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
    candidates.find(|candidate| set.program_named(candidate).is_none()).expect("there are names enough")
}
