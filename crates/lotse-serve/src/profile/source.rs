//! Source lines and instructions of a function.

use lotse_model::id::FunctionId;
use lotse_model::profile::Detail;
use lotse_profile::annotate::lanes::{RowJump, place};
use lotse_profile::annotate::{
    AnnotateQuery, Annotated, CodeAnswer, FileAnswer, InstructionAnswer, LineAnswer, Show, SiteAnswer,
    Syntax, annotate,
};
use lotse_profile::events::{Column, Cost};

use super::amount::{Amounts, count, event_type};
use super::calls::function_row;
use super::table::function_names;
use super::{Analysed, ProfileDocument};
use crate::api::{
    CallSite, Code, CodeJump, Instruction, Problem, Remark, Scope, SourceAnswer, SourceFile, SourceLine,
};
use crate::tokens::{Language, LineTokens};

/// Lines without cost that are shown around those with cost.
pub(crate) const CONTEXT: usize = 30;

/// The inside of a function.
pub(super) fn source(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    (function, instructions): (u32, bool),
    events: &[String],
) -> Result<SourceAnswer, Problem> {
    // Files have costs by line for the whole run, not for a selection of samples.
    let whole = Scope { focus: None, ignore: None, hide: None, ..scope.clone() };
    let unfiltered = (whole != *scope).then(|| {
        "focus, ignore and hide do not apply here: these are the costs of the lines in all samples of the parts".to_owned()
    });
    let scope = &whole;
    let scoped = document.analysis(scope)?;
    let analysed = scoped.get();
    let function = document.function(function)?;
    let detail = document.opened().detail(function).map_err(Problem::new)?;
    let (columns, note) =
        line_columns(document, (scope, events), &detail, analysed.analysis.own.row(function.index()))?;
    let found = annotated(document, analysed, (function, &detail), (&columns, instructions, CONTEXT));
    let inside = Inside { analysed, columns: &columns };
    let remarks =
        unfiltered.into_iter().chain(note).chain(found.notes.iter().cloned()).map(Remark::note).collect();
    let no_code = match &found.code {
        None if instructions => "the machine code of this function was not found; the remarks say why",
        _ => "",
    };
    Ok(SourceAnswer {
        function: function_row(analysed, &columns, function),
        events: columns.iter().map(|column| event_type(column, &analysed.analysis.totals)).collect(),
        files: found.files.into_iter().map(|file| inside.file(file)).collect(),
        code: found.code.map(|code| inside.code(code)),
        no_code: no_code.to_owned(),
        remarks,
    })
}

/// The inside of a function with the costs of columns, with `context` lines around those with cost.
pub(crate) fn annotated(
    document: &ProfileDocument<'_>,
    analysed: &Analysed<'_>,
    (function, detail): (FunctionId, &Detail),
    (columns, instructions, context): (&[Column], bool, usize),
) -> Annotated {
    let query = AnnotateQuery {
        columns,
        function,
        detail,
        binaries: document.binaries,
        source_dirs: document.source_dirs,
        show: if instructions { Show::Both } else { Show::Source },
        syntax: Syntax::Intel,
        context,
    };
    let found = annotate(&analysed.analysis, &query);
    document.note_shown(found.files.iter().filter_map(|file| file.found.as_deref()));
    found
}

/// The event types to show, and a note: some formats count samples by line but have no times by line. Then the first event
/// type that has costs by line is shown.
fn line_columns(
    document: &ProfileDocument<'_>,
    (scope, events): (&Scope, &[String]),
    detail: &Detail,
    own: &[u64],
) -> Result<(Vec<Column>, Option<String>), Problem> {
    let columns = document.columns(scope, events)?;
    let costs = &detail.lines.costs;
    let by_line = |column: &Column| column.event().is_none_or(|event| costs.total(event) != 0);
    // A function without any self cost of an event type has none by line either.
    let has_costs = |column: &Column| {
        by_line(column) || column.event().is_some_and(|event| own.get(event).is_none_or(|own| *own == 0))
    };
    if costs.rows() == 0 || columns.iter().any(has_costs) {
        return Ok((columns, None));
    }
    let Some(other) = document.event_types(scope)?.own().into_iter().find(by_line) else {
        return Ok((columns, None));
    };
    let note = format!("the file does not have {} by line; {} is shown", columns[0].name, other.name);
    Ok((vec![other], Some(note)))
}

/// What amounts of lines are formatted with.
pub(crate) struct Inside<'a> {
    pub(crate) analysed: &'a Analysed<'a>,
    pub(crate) columns: &'a [Column],
}

impl Inside<'_> {
    fn file(&self, file: FileAnswer) -> SourceFile {
        let language = Language::of_path(file.path.as_deref().unwrap_or(""));
        let mut tokens = LineTokens::new(language);
        let lines = file.lines.into_iter().map(|line| self.line(line, &mut tokens)).collect();
        SourceFile { path: file.path, found: file.found, old_path: None, old_found: None, lines }
    }

    fn line(&self, line: LineAnswer, tokens: &mut LineTokens) -> SourceLine {
        SourceLine {
            tokens: tokens.next_line(line.line, line.text.as_deref().unwrap_or("")),
            line: line.line,
            old_line: None,
            status: "",
            text: line.text,
            own: self.amounts(&line.own),
            inclusive: self.amounts(&line.inclusive),
            changes: None,
            calls: self.sites(line.calls),
        }
    }

    pub(crate) fn code(&self, code: CodeAnswer) -> Code {
        let jumps = jumps(&code.instructions);
        let instructions = code.instructions.into_iter().map(|instruction| Instruction {
            address: format!("{:#x}", instruction.address),
            bytes: instruction.bytes,
            text: instruction.text,
            file: instruction.file,
            line: instruction.line,
            own: self.amounts(&instruction.own),
            calls: self.sites(instruction.calls),
        });
        Code { binary: code.binary, instructions: instructions.collect(), jumps }
    }

    pub(crate) fn sites(&self, sites: Vec<SiteAnswer>) -> Vec<CallSite> {
        if sites.is_empty() {
            return Vec::new();
        }
        let names = function_names(&self.analysed.analysis, sites.iter().map(|site| site.function.id));
        let site = |(site, function): (SiteAnswer, _)| CallSite {
            function,
            calls: site.calls.map(count),
            costs: site.cost.map(|cost| self.amounts(&cost)),
            changes: None,
            inlined: site.inlined,
        };
        sites.into_iter().zip(names).map(site).collect()
    }

    pub(crate) fn amounts(&self, costs: &[Cost]) -> Vec<crate::api::Amount> {
        let totals = &self.analysed.analysis.totals;
        let amount = |(column, cost): (&Column, &Cost)| Amounts::of_total(column, totals).amount(*cost);
        self.columns.iter().zip(costs).map(amount).collect()
    }
}

/// The jumps inside the function, with the lane of each arrow.
fn jumps(instructions: &[InstructionAnswer]) -> Vec<CodeJump> {
    let row_of = |address: u64| instructions.binary_search_by_key(&address, |it| it.address);
    let mut rows = Vec::new();
    let mut texts = std::collections::HashMap::new();
    for (from, instruction) in instructions.iter().enumerate() {
        for jump in &instruction.jumps {
            let Ok(to) = row_of(jump.target) else { continue };
            rows.push(RowJump { from, to, weight: jump.taken.unwrap_or(0) });
            if let Some(taken) = jump.taken {
                texts.insert((from, to), format!("taken {} times", count(taken).text));
            }
        }
    }
    let placed = place(instructions.len(), &rows);
    let arrow = |arrow: lotse_profile::annotate::lanes::PlacedArrow| {
        let one = |&from: &usize| CodeJump {
            from,
            to: arrow.to,
            lane: arrow.lane,
            text: texts.get(&(from, arrow.to)).cloned().unwrap_or_else(String::new),
        };
        arrow.from.iter().map(one).collect::<Vec<_>>()
    };
    placed.into_iter().flat_map(arrow).collect()
}
