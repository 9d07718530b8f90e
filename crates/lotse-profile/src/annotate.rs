//! The costs inside a function: by source line and by instruction, with calls and jumps.
//!
//! Self costs by line add up to the self cost of the function. In sampled profiles, the cost of a line is that of the
//! samples whose innermost frame is there; inlined code appears as a call at the line where it was inlined. The cost of
//! an instruction includes inlined code, whatever source line it came from.

use lotse_model::id::FunctionId;
use lotse_model::profile::Detail;

use crate::analysis::Analysis;
use crate::events::{Column, Cost, CostRow, ranking};
use crate::resolve::Binaries;

mod answer;
mod code;
mod gather;
pub mod lanes;
mod nameless;
mod origin;
mod source;
mod stacks;
mod sums;

pub use answer::{
    AnnotateAnswer, CodeAnswer, FileAnswer, InstructionAnswer, JumpAnswer, LineAnswer, SiteAnswer,
};
pub use lotse_symbols::Syntax;
pub(crate) use stacks::StackLines;
pub(crate) use sums::KeyedCosts;

pub(crate) use source::SourceTexts;

/// Which views of a function are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Source if its text is found, then assembly if the profile has costs of instructions and the binary is found.
    #[default]
    Found,
    Source,
    /// Assembly.
    Code,
    /// Assembly, interleaved with the source lines it comes from.
    Both,
}

/// What to annotate, and how.
pub struct AnnotateQuery<'a> {
    pub columns: &'a [Column],
    pub function: FunctionId,
    /// The detail of that function.
    pub detail: &'a Detail,
    /// Where binaries and source files are.
    pub binaries: Binaries<'a>,
    /// Directories to look for source files in.
    pub source_dirs: &'a [String],
    pub show: Show,
    /// How x86 instructions are written.
    pub syntax: Syntax,
    /// How many lines without cost are shown around those with cost.
    pub context: usize,
}

/// The source and code of a function with costs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Annotated {
    /// Source files its code comes from; that of its definition first.
    pub files: Vec<FileAnswer>,
    /// Its instructions, if they are known.
    pub code: Option<CodeAnswer>,
    /// Notes about missing files.
    pub notes: Vec<String>,
}

/// Gathers the costs inside a function, and combines them with its source text and disassembly.
pub fn annotate(analysis: &Analysis<'_>, query: &AnnotateQuery<'_>) -> Annotated {
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
            SourceTexts::new(query.binaries.files, query.source_dirs, origins, analysis.profile.recorded);
        let lines = if query.show == Show::Both { code.as_ref() } else { None };
        files = source::files(analysis, query, &found, lines, &mut sources);
        notes.extend(sources.notes());
    }
    let at_definition =
        query.show != Show::Code && source::definition_line(analysis, query, &found).is_some();
    if found.is_empty() && !at_definition {
        notes.push("the profile has no costs by line or instruction of this function".to_owned());
    }
    Annotated { files, code, notes }
}

/// The values of all columns for one row of costs.
fn costs(analysis: &Analysis<'_>, columns: &[Column], costs: &[u64], calls: Option<u64>) -> Vec<Cost> {
    let row = CostRow { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls };
    columns.iter().map(|column| column.value(&row)).collect()
}

fn site_answer(analysis: &Analysis<'_>, query: &AnnotateQuery<'_>, site: &gather::CallSite) -> SiteAnswer {
    SiteAnswer {
        function: crate::answer::FunctionName::new(analysis.profile, site.callee),
        calls: site.count,
        cost: site.costs.as_ref().map(|row| costs(analysis, query.columns, row, site.count)),
        inlined: site.inlined,
    }
}

/// Call sites as answers, the costliest first.
fn site_answers<'a>(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    all: impl Iterator<Item = &'a gather::CallSite>,
) -> Vec<SiteAnswer> {
    let mut sites: Vec<SiteAnswer> = all.map(|it| site_answer(analysis, query, it)).collect();
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
