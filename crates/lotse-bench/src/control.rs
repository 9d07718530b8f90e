//! The control arm: a hidden copy of the reference that takes part in every block.

use lotse_model::results::{Program, ResultSet};

use crate::options::ProgramSpec;

/// Marks the copy in result files.
const TAG: &str = "lotse:control";

/// A copy of a program, under another name and hidden from the comparisons.
pub(crate) fn copy_of(spec: &ProgramSpec) -> ProgramSpec {
    let mut copy = plain_copy_of(spec);
    copy.program.tags.push(TAG.to_owned());
    copy
}

/// A copy of a program, under another name.
pub(crate) fn plain_copy_of(spec: &ProgramSpec) -> ProgramSpec {
    let mut copy = spec.clone();
    copy.program.name = format!("{} (control)", spec.program.name);
    copy
}

/// Whether this is the copy.
pub(crate) fn is_control(program: &Program) -> bool {
    program.tags.iter().any(|tag| tag == TAG)
}

/// The result without the copy.
pub(crate) fn without(set: &ResultSet) -> ResultSet {
    let kept = |index: usize| !is_control(&set.programs[index]);
    let mut shown = set.clone();
    // The copy is always the last program, so the ids of the others stay.
    shown.programs.retain(|program| !is_control(program));
    shown.runs.retain(|run| kept(run.program.index()));
    shown
}
