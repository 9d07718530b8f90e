//! The control arm: a hidden copy of the reference that takes part in every block.

use lotse_model::id::ProgramId;
use lotse_model::results::{Program, ResultSet};

use crate::options::ProgramSpec;

/// Marks the copy in result files.
const TAG: &str = "lotse:control";

/// The attribute with the name of the original program.
const ORIGINAL: &str = "lotse:control-of";

/// A copy of a program, under another name and hidden from the comparisons.
pub(crate) fn copy_of(spec: &ProgramSpec) -> ProgramSpec {
    let mut copy = plain_copy_of(spec);
    copy.program.tags.push(TAG.to_owned());
    copy.program.attributes.insert(ORIGINAL.to_owned(), spec.program.name.clone().into());
    copy
}

/// A copy of a program, under another name.
pub(crate) fn plain_copy_of(spec: &ProgramSpec) -> ProgramSpec {
    let mut copy = spec.clone();
    copy.program.name = format!("{} (control)", spec.program.name);
    copy
}

/// Whether a program is the control arm.
pub(crate) fn is_control(program: &Program) -> bool {
    program.tags.iter().any(|tag| tag == TAG)
}

/// The result without the control arm.
pub(crate) fn without_arm(set: &ResultSet) -> ResultSet {
    set.keep_programs(|program| !is_control(program))
}

/// The control arm and the program it is a copy of, if there is a control arm.
pub(crate) fn arm(set: &ResultSet) -> Option<(ProgramId, ProgramId)> {
    let copy = set.programs.iter().find(|program| is_control(program))?;
    let original = copy.attributes.get(ORIGINAL)?.as_str()?;
    Some((set.program_named(&copy.name)?, set.program_named(original)?))
}
