//! Prints machine code with its costs, jumps as arrows, and source lines between if interleaved.

use hashbrown::{HashMap, HashSet};
use lotse_report::Role;

use super::cells::CostCells;
use super::{Numbers, StyledLine, StyledText, base_name, call, is_free, visible};
use crate::annotate::lanes::{RowJump, draw};
use crate::annotate::{AnnotateAnswer, CodeAnswer, InstructionAnswer, JumpAnswer, LineAnswer, SiteAnswer};

/// The content of a row.
enum CodeRow<'a> {
    Instruction(&'a InstructionAnswer),
    Call(&'a SiteAnswer),
    /// A source line; its cost is shown only at its first occurrence.
    Source {
        place: String,
        line: Option<&'a LineAnswer>,
        first: bool,
    },
    /// The number of instructions left out.
    Gap(usize),
}

/// The lines of a function's machine code: a title, the headings, then its rows.
pub(super) fn section(
    answer: &AnnotateAnswer,
    code: &CodeAnswer,
    cells: &CostCells<'_>,
    interleaved: bool,
    context: usize,
) -> Vec<StyledLine> {
    let rows = rows(answer, code, interleaved, context);
    let gutters = gutters(&rows);
    let last = code.instructions.last().map_or(0, |it| it.address);
    let width = format!("{last:x}").len().max(7);
    let mut lines = vec![
        vec![StyledText::new(Role::Strong, visible(&code.binary))],
        vec![StyledText::new(Role::Dim, format!("{}{:>width$}", cells.titles(), "address"))],
    ];
    let indent = if interleaved { "  " } else { "" };
    lines.extend(
        rows.iter().zip(gutters).map(|(row, gutter)| code_line(row, &gutter, cells, (width, indent))),
    );
    lines
}

/// The rows of a function: instructions with cost and their context, the calls of each, and gaps. Interleaved, a source
/// line comes before instructions whose line differs from the previous one.
fn rows<'a>(
    answer: &'a AnnotateAnswer,
    code: &'a CodeAnswer,
    interleaved: bool,
    context: usize,
) -> Vec<CodeRow<'a>> {
    let shown = instructions_to_show(&code.instructions, context);
    let sources = if interleaved { SourceLines::new(answer) } else { SourceLines::default() };
    let mut rows = Vec::new();
    let mut hidden = 0;
    let (mut place, mut seen) = (None, HashSet::new());
    for (it, shown) in code.instructions.iter().zip(shown) {
        if !shown {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            rows.push(CodeRow::Gap(std::mem::take(&mut hidden)));
        }
        let here = (it.file.as_deref(), it.line);
        if interleaved && it.line.is_some() && place != Some(here) {
            rows.push(sources.row(here, seen.insert(here)));
        }
        place = Some(here);
        rows.push(CodeRow::Instruction(it));
        rows.extend(it.calls.iter().map(CodeRow::Call));
    }
    rows.extend((hidden > 0).then_some(CodeRow::Gap(hidden)));
    rows
}

/// Instructions with cost or calls, and those around them; short gaps are shown, too. All if none has any cost.
fn instructions_to_show(instructions: &[InstructionAnswer], context: usize) -> Vec<bool> {
    let costly = |it: &InstructionAnswer| !is_free(&it.own) || !it.calls.is_empty();
    let mut shown = vec![!instructions.iter().any(costly); instructions.len()];
    for at in (0..instructions.len()).filter(|&at| costly(&instructions[at])) {
        let end = at.saturating_add(context).saturating_add(1).min(instructions.len());
        shown[at.saturating_sub(context)..end].fill(true);
    }
    let mut start = 0;
    while let Some(gap) = shown[start..].iter().position(|shown| !shown).map(|at| at + start) {
        let end = shown[gap..].iter().position(|shown| *shown).map_or(shown.len(), |length| gap + length);
        if end - gap <= 4 {
            shown[gap..end].fill(true);
        }
        start = end;
    }
    shown
}

/// Source lines by file and number.
#[derive(Default)]
struct SourceLines<'a> {
    lines: HashMap<(Option<&'a str>, Option<u32>), &'a LineAnswer>,
    several_files: bool,
}

impl<'a> SourceLines<'a> {
    fn new(answer: &'a AnnotateAnswer) -> Self {
        let mut lines = HashMap::new();
        for file in &answer.files {
            lines.extend(file.lines.iter().map(|line| ((file.path.as_deref(), line.line), line)));
        }
        Self { lines, several_files: answer.files.len() > 1 }
    }

    fn row(&self, here: (Option<&str>, Option<u32>), first: bool) -> CodeRow<'a> {
        let number = here.1.map_or(String::new(), |line| line.to_string());
        let file = here.0.filter(|_| self.several_files).map_or("", base_name);
        let place = if file.is_empty() { number } else { format!("{file}:{number}") };
        CodeRow::Source { place, line: self.lines.get(&here).copied(), first }
    }
}

/// The arrows beside each row.
fn gutters(rows: &[CodeRow<'_>]) -> Vec<String> {
    let at: HashMap<u64, usize> = rows
        .iter()
        .enumerate()
        .filter_map(|(row, it)| match it {
            CodeRow::Instruction(it) => Some((it.address, row)),
            _ => None,
        })
        .collect();
    let mut jumps = Vec::new();
    for (from, row) in rows.iter().enumerate() {
        let CodeRow::Instruction(it) = row else { continue };
        let within = it.jumps.iter().filter_map(|jump| Some((at.get(&jump.target).copied()?, jump)));
        jumps.extend(within.map(|(to, jump)| RowJump { from, to, weight: jump.taken.unwrap_or(0) }));
    }
    draw(rows.len(), &jumps)
}

/// A row as a line: costs, address, arrows and text.
fn code_line(
    row: &CodeRow<'_>,
    gutter: &str,
    cells: &CostCells<'_>,
    (width, indent): (usize, &str),
) -> StyledLine {
    let arrows = StyledText::new(Role::Dim, format!("  {gutter} "));
    match row {
        CodeRow::Instruction(it) => {
            let text = format!("{indent}{}", visible(&it.text));
            let role = if is_free(&it.own) { Some(Role::Dim) } else { cells.role(&it.own) };
            let address = StyledText::new(Role::Dim, format!("{:>width$x}", it.address));
            let mut line =
                vec![cells.row(&it.own), address, arrows, StyledText { role, ..StyledText::plain(text) }];
            line.extend(it.jumps.iter().filter_map(jump_counts));
            line
        }
        CodeRow::Call(site) => {
            let left = StyledText::plain(format!("{}{:width$}", cells.blank(), ""));
            let mut line = vec![left, arrows, StyledText::plain(format!("{indent}  "))];
            line.extend(call(site, cells));
            line
        }
        CodeRow::Source { place, line, first } => source_line(place, *line, *first, cells, (width, arrows)),
        CodeRow::Gap(hidden) => {
            let left = format!("{}{:>width$}", cells.blank(), "…");
            let plural = if *hidden == 1 { "" } else { "s" };
            let text =
                format!("… {} instruction{plural} without cost", Numbers::Readable.count(*hidden as u64));
            vec![StyledText::new(Role::Dim, left), arrows, StyledText::new(Role::Dim, text)]
        }
    }
}

fn source_line(
    place: &str,
    line: Option<&LineAnswer>,
    first: bool,
    cells: &CostCells<'_>,
    (width, arrows): (usize, StyledText),
) -> StyledLine {
    let role = if first { Role::Strong } else { Role::Dim };
    let text = line.and_then(|line| line.text.as_deref()).map_or(String::new(), |text| visible(text.trim()));
    let costs =
        line.filter(|_| first).map_or_else(|| StyledText::plain(cells.blank()), |line| cells.row(&line.own));
    vec![
        costs,
        StyledText::plain(" ".repeat(width)),
        arrows,
        StyledText::new(role, format!("{place}: {text}")),
    ]
}

/// How often a jump was taken.
fn jump_counts(jump: &JumpAnswer) -> Option<StyledText> {
    let (executed, taken) = (jump.executed?, jump.taken?);
    let count = |count| Numbers::Readable.count(count);
    let text = if jump.conditional {
        format!("  taken {} of {}", count(taken), count(executed))
    } else {
        match taken.max(executed) {
            1 => "  1 jump".to_owned(),
            jumps => format!("  {} jumps", count(jumps)),
        }
    };
    Some(StyledText::new(Role::Dim, text))
}
