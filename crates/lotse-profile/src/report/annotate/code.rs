//! Machine code with its costs, jumps as arrows, source lines between where asked for.

use hashbrown::{HashMap, HashSet};
use lotse_report::Role;

use super::cells::Cells;
use super::{Line, Numbers, Span, base_name, call, is_free, visible};
use crate::annotate::lanes::{Jump, draw};
use crate::annotate::{AnnotateAnswer, CodeAnswer, InstructionAnswer, JumpAnswer, LineAnswer, SiteAnswer};

/// What stands on a row.
enum Row<'a> {
    Instruction(&'a InstructionAnswer),
    Call(&'a SiteAnswer),
    /// A source line; with its cost where it comes for the first time.
    Source {
        place: String,
        line: Option<&'a LineAnswer>,
        first: bool,
    },
    /// Instructions left out.
    Gap(usize),
}

pub(super) fn section(
    answer: &AnnotateAnswer,
    code: &CodeAnswer,
    cells: &Cells<'_>,
    interleaved: bool,
    context: usize,
) -> Vec<Line> {
    let rows = rows(answer, code, interleaved, context);
    let gutters = gutters(&rows);
    let last = code.instructions.last().map_or(0, |it| it.address);
    let width = format!("{last:x}").len().max(7);
    let mut lines = vec![
        vec![Span::of(Role::Strong, visible(&code.binary))],
        vec![Span::of(Role::Dim, format!("{}{:>width$}", cells.titles(), "address"))],
    ];
    let indent = if interleaved { "  " } else { "" };
    lines.extend(rows.iter().zip(gutters).map(|(row, gutter)| line(row, &gutter, cells, (width, indent))));
    lines
}

fn rows<'a>(
    answer: &'a AnnotateAnswer,
    code: &'a CodeAnswer,
    interleaved: bool,
    context: usize,
) -> Vec<Row<'a>> {
    let shown = shown(&code.instructions, context);
    let sources = if interleaved { Sources::new(answer) } else { Sources::default() };
    let mut rows = Vec::new();
    let mut hidden = 0;
    let (mut place, mut seen) = (None, HashSet::new());
    for (it, shown) in code.instructions.iter().zip(shown) {
        if !shown {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            rows.push(Row::Gap(std::mem::take(&mut hidden)));
        }
        let here = (it.file.as_deref(), it.line);
        if interleaved && it.line.is_some() && place != Some(here) {
            rows.push(sources.row(here, seen.insert(here)));
        }
        place = Some(here);
        rows.push(Row::Instruction(it));
        rows.extend(it.calls.iter().map(Row::Call));
    }
    rows.extend((hidden > 0).then_some(Row::Gap(hidden)));
    rows
}

/// Instructions with cost and those around them; short gaps are not worth a row of their own.
fn shown(instructions: &[InstructionAnswer], context: usize) -> Vec<bool> {
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

/// Lines of source by file and number.
#[derive(Default)]
struct Sources<'a> {
    lines: HashMap<(Option<&'a str>, Option<u32>), &'a LineAnswer>,
    several: bool,
}

impl<'a> Sources<'a> {
    fn new(answer: &'a AnnotateAnswer) -> Self {
        let mut lines = HashMap::new();
        for file in &answer.files {
            lines.extend(file.lines.iter().map(|line| ((file.path.as_deref(), line.line), line)));
        }
        Self { lines, several: answer.files.len() > 1 }
    }

    fn row(&self, here: (Option<&str>, Option<u32>), first: bool) -> Row<'a> {
        let number = here.1.map_or(String::new(), |line| line.to_string());
        let file = here.0.filter(|_| self.several).map_or("", base_name);
        let place = if file.is_empty() { number } else { format!("{file}:{number}") };
        Row::Source { place, line: self.lines.get(&here).copied(), first }
    }
}

fn gutters(rows: &[Row<'_>]) -> Vec<String> {
    let at: HashMap<u64, usize> = rows
        .iter()
        .enumerate()
        .filter_map(|(row, it)| match it {
            Row::Instruction(it) => Some((it.address, row)),
            _ => None,
        })
        .collect();
    let mut jumps = Vec::new();
    for (from, row) in rows.iter().enumerate() {
        let Row::Instruction(it) = row else { continue };
        let within = it.jumps.iter().filter_map(|jump| Some((at.get(&jump.target).copied()?, jump)));
        jumps.extend(within.map(|(to, jump)| Jump { from, to, weight: jump.taken.unwrap_or(0) }));
    }
    draw(rows.len(), &jumps)
}

fn line(row: &Row<'_>, gutter: &str, cells: &Cells<'_>, (width, indent): (usize, &str)) -> Line {
    let arrows = Span::of(Role::Dim, format!("  {gutter} "));
    match row {
        Row::Instruction(it) => {
            let text = format!("{indent}{}", visible(&it.text));
            let role = if is_free(&it.own) { Some(Role::Dim) } else { cells.role(&it.own) };
            let address = Span::of(Role::Dim, format!("{:>width$x}", it.address));
            let mut line = vec![cells.row(&it.own), address, arrows, Span { role, ..Span::plain(text) }];
            line.extend(it.jumps.iter().filter_map(counts));
            line
        }
        Row::Call(site) => {
            let left = Span::plain(format!("{}{:width$}", cells.blank(), ""));
            let mut line = vec![left, arrows, Span::plain(format!("{indent}  "))];
            line.extend(call(site, cells));
            line
        }
        Row::Source { place, line, first } => source(place, *line, *first, cells, (width, arrows)),
        Row::Gap(hidden) => {
            let left = format!("{}{:>width$}", cells.blank(), "…");
            let plural = if *hidden == 1 { "" } else { "s" };
            let text =
                format!("… {} instruction{plural} without cost", Numbers::Readable.count(*hidden as u64));
            vec![Span::of(Role::Dim, left), arrows, Span::of(Role::Dim, text)]
        }
    }
}

fn source(
    place: &str,
    line: Option<&LineAnswer>,
    first: bool,
    cells: &Cells<'_>,
    (width, arrows): (usize, Span),
) -> Line {
    let role = if first { Role::Strong } else { Role::Dim };
    let text = line.and_then(|line| line.text.as_deref()).map_or(String::new(), |text| visible(text.trim()));
    let costs =
        line.filter(|_| first).map_or_else(|| Span::plain(cells.blank()), |line| cells.row(&line.own));
    vec![costs, Span::plain(" ".repeat(width)), arrows, Span::of(role, format!("{place}: {text}"))]
}

/// How often a jump was taken.
fn counts(jump: &JumpAnswer) -> Option<Span> {
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
    Some(Span::of(Role::Dim, text))
}
