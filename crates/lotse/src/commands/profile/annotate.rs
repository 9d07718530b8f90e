//! `lotse profile annotate`.

use lotse_model::profile::Detail;
use lotse_profile::annotate::{AnnotateAnswer, AnnotateQuery, Show, Syntax, annotate};
use lotse_profile::answer::{EventAnswer, FunctionAnswer, default_event};
use lotse_profile::csv::{self, AnnotateTable};
use lotse_profile::events::{Column, EventTypes};
use lotse_profile::report::{self, Layout, StyledLine, StyledText};
use lotse_profile::resolve::Binaries;
use lotse_report::Role;

use super::binaries::{Disk, existing_paths};
use super::calls::find_function;
use super::{analyse, columns, diagnostics, ending, event_types, read, relative, source};
use crate::args::{AnnotateArgs, AnnotateTableArg, SyntaxArg};
use crate::exit::{Exit, Failure};
use crate::export::rendered;
use crate::screen;

/// Prints the lines and instructions of a function with their costs.
pub(crate) fn run(args: &AnnotateArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read(&source, &args.input.read, !args.output.json)?;
    let types = event_types(&opened, &args.events)?;
    let analysis = analyse(&opened, &args.input.read)?;
    let (function, note) = find_function(&analysis, &args.function)?;
    let detail = opened.detail(function).map_err(super::format_failure)?;
    let (columns, other) = line_columns(args, &types, &detail, analysis.own.row(function.index()))?;
    let (given, source_dirs) = (existing_paths(&args.input.read.binary)?, directories(args));
    let disk = Disk::new();
    let query = AnnotateQuery {
        columns: &columns,
        function,
        detail: &detail,
        binaries: Binaries { files: &disk, given: &given },
        source_dirs: &source_dirs,
        show: show(args),
        syntax: syntax(args.syntax),
        context: args.context,
    };
    let found = annotate(&analysis, &query);
    // Notes about a binary that were printed when the profile was read are not repeated.
    let known = |note: &String| opened.diagnostics.iter().any(|it| it.message == *note);
    let new = found.notes.into_iter().filter(|note| !known(note));
    let notes: Vec<String> = analysis.notes.iter().cloned().chain(note).chain(other).chain(new).collect();
    let answer = AnnotateAnswer {
        schema: "lotse.profile.annotate/1",
        format: opened.format.to_owned(),
        events: EventAnswer::for_columns(&columns, &analysis.totals),
        default_event: default_event(&opened.profile),
        function: FunctionAnswer::new(&opened.profile, &analysis.summary(), &columns, function),
        files: found.files,
        code: found.code,
        diagnostics: diagnostics(&opened, &notes),
    };
    if args.output.json {
        screen::json(&answer)?;
    } else if args.output.csv {
        let table = rendered(&csv::annotate(&answer, table(args)), "csv")?;
        screen::write(|out| out.write_all(&table))?;
    } else {
        let layout = Layout {
            interleaved: query.show == Show::Both,
            context: args.context,
            relative: relative(&args.shares),
        };
        print(report::annotate(&answer, &columns, layout))?;
    }
    if !args.output.json {
        notes.iter().for_each(|note| screen::remark(note));
    }
    Ok(ending(&opened))
}

/// The event types to show, and a note. Some formats count samples by line but have no times by line: if the default event
/// type has no costs by line, the first one that has is shown instead.
fn line_columns(
    args: &AnnotateArgs,
    types: &EventTypes,
    detail: &Detail,
    own: &[u64],
) -> Result<(Vec<Column>, Option<String>), Failure> {
    let columns = columns(types, &args.events, &args.output)?;
    let costs = &detail.lines.costs;
    let by_line = |column: &Column| column.event().is_none_or(|event| costs.total(event) != 0);
    // A function without any self cost of an event type has none by line either.
    let has_costs = |column: &Column| {
        by_line(column) || column.event().is_some_and(|event| own.get(event).is_none_or(|own| *own == 0))
    };
    let chosen = !args.events.events.is_empty() || !args.events.define.is_empty();
    if chosen || columns.len() != 1 || costs.rows() == 0 || has_costs(&columns[0]) {
        return Ok((columns, None));
    }
    let Some(other) = types.own().into_iter().find(by_line) else { return Ok((columns, None)) };
    let note = format!("the file does not have {} by line; {} is shown", columns[0].name, other.name);
    Ok((vec![other], Some(note)))
}

/// The table of `--csv`: the one asked for, else instructions with `--asm` and lines without.
fn table(args: &AnnotateArgs) -> AnnotateTable {
    match args.table {
        Some(AnnotateTableArg::Lines) => AnnotateTable::Lines,
        Some(AnnotateTableArg::Calls) => AnnotateTable::Calls,
        Some(AnnotateTableArg::Instructions) => AnnotateTable::Instructions,
        None if args.asm && !args.source => AnnotateTable::Instructions,
        None => AnnotateTable::Lines,
    }
}

fn show(args: &AnnotateArgs) -> Show {
    match (args.source, args.asm) {
        (false, false) if args.table == Some(AnnotateTableArg::Instructions) => Show::Code,
        (false, false) => Show::Found,
        (true, false) => Show::Source,
        (false, true) => Show::Code,
        (true, true) => Show::Both,
    }
}

fn syntax(syntax: SyntaxArg) -> Syntax {
    match syntax {
        SyntaxArg::Intel => Syntax::Intel,
        SyntaxArg::Att => Syntax::Att,
    }
}

fn directories(args: &AnnotateArgs) -> Vec<String> {
    args.source_dir.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Prints lines, cut to the width of the screen.
fn print(mut lines: Vec<StyledLine>) -> Result<Exit, Failure> {
    report::fit_to_width(&mut lines, screen::width());
    screen::write(|out| {
        for line in &lines {
            let text: String = line.iter().map(painted).collect();
            writeln!(out, "{}", text.trim_end())?;
        }
        Ok(())
    })
}

/// The text with the colours of its role; the stream removes them if it is no terminal.
fn painted(span: &StyledText) -> String {
    let style = match span.role {
        None => return span.text.clone(),
        Some(Role::Good) => anstyle::AnsiColor::Green.on_default(),
        Some(Role::Bad) => anstyle::AnsiColor::Red.on_default().bold(),
        Some(Role::Dim) => anstyle::Style::new().dimmed(),
        Some(Role::Strong) => anstyle::Style::new().bold(),
    };
    format!("{style}{}{style:#}", span.text)
}
