//! The costs inside a function: by source line and by instruction, with calls and jumps.
//!
//! Self costs by line add up to the self cost of the function. Of sampled profiles a line's cost is that of the
//! samples whose innermost frame is there; code that was inlined appears as a call where it was inlined, while
//! an instruction's cost counts whatever source it came from: it is where the processor was.

use lotse_model::id::FunctionId;
use lotse_model::profile::Detail;

use crate::analysis::Analysis;
use crate::events::{Column, Cost, Row, ranking};
use crate::resolve::Binaries;

mod answer;
mod code;
mod gather;
pub mod lanes;
mod origin;
mod source;
mod stacks;
mod sums;

pub use answer::{
    AnnotateAnswer, CodeAnswer, FileAnswer, InstructionAnswer, JumpAnswer, LineAnswer, SiteAnswer,
};
pub use lotse_symbols::Syntax;

use source::Sources;

/// What of a function is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Source where its text is found, assembly where the profile has costs of instructions and the binary is
    /// found; both one after the other.
    #[default]
    Found,
    /// Source.
    Source,
    /// Assembly.
    Code,
    /// Assembly with the source lines it comes from between.
    Both,
}

/// What is asked.
pub struct Query<'a> {
    /// The costs to show.
    pub columns: &'a [Column],
    /// About which function.
    pub function: FunctionId,
    /// The detail of that function.
    pub detail: &'a Detail,
    /// Where binaries and source files are.
    pub binaries: Binaries<'a>,
    /// Directories to look for source files in.
    pub source_dirs: &'a [String],
    /// Source, assembly or both.
    pub show: Show,
    /// How x86 instructions are written.
    pub syntax: Syntax,
    /// How many lines without cost are shown around those with.
    pub context: usize,
}

/// The inside of a function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Annotated {
    /// Source files its code comes from; that of its definition first.
    pub files: Vec<FileAnswer>,
    /// Its instructions, where they are known.
    pub code: Option<CodeAnswer>,
    /// What could not be found.
    pub notes: Vec<String>,
}

/// Annotates a function.
pub fn annotate(analysis: &Analysis<'_>, query: &Query<'_>) -> Annotated {
    let found = gather::gather(analysis, query);
    let mut notes = Vec::new();
    let wanted = match query.show {
        Show::Found => !found.code.is_empty(),
        Show::Source => false,
        Show::Code | Show::Both => true,
    };
    let code = if wanted { code::code(analysis, query, &found, &mut notes) } else { None };
    let mut files = Vec::new();
    if query.show != Show::Code {
        let origins = origin::origins(analysis, query, &found);
        let mut sources =
            Sources::new(query.binaries.files, query.source_dirs, origins, analysis.profile.recorded);
        let lines = if query.show == Show::Both { code.as_ref() } else { None };
        files = source::files(analysis, query, &found, lines, &mut sources);
        notes.extend(sources.notes());
    }
    if found.is_empty() {
        notes.push("the profile has no costs by line or instruction of this function".to_owned());
    }
    Annotated { files, code, notes }
}

/// Costs as shown.
fn costs(analysis: &Analysis<'_>, columns: &[Column], costs: &[u64], calls: Option<u64>) -> Vec<Cost> {
    let row = Row { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls };
    columns.iter().map(|column| column.value(&row)).collect()
}

/// A call as shown.
fn site(analysis: &Analysis<'_>, query: &Query<'_>, site: &gather::Site) -> SiteAnswer {
    SiteAnswer {
        function: crate::answer::FunctionName::of(analysis.profile, site.callee),
        calls: site.count,
        cost: site.costs.as_ref().map(|row| costs(analysis, query.columns, row, site.count)),
        inlined: site.inlined,
    }
}

/// The costliest first.
fn sites<'a>(
    analysis: &Analysis<'_>,
    query: &Query<'_>,
    all: impl Iterator<Item = &'a gather::Site>,
) -> Vec<SiteAnswer> {
    let mut sites: Vec<SiteAnswer> = all.map(|it| site(analysis, query, it)).collect();
    let at = ranking(query.columns);
    let first = |site: &SiteAnswer| site.cost.as_ref().and_then(|cost| cost.get(at).copied());
    sites.sort_by(|a, b| {
        let cost = first(b).unwrap_or(Cost::ABSENT).compare(&first(a).unwrap_or(Cost::ABSENT));
        cost.then(b.calls.cmp(&a.calls)).then_with(|| a.function.display.cmp(&b.function.display))
    });
    sites
}

#[cfg(test)]
mod tests;
