//! Phases and iterations of a run.

use lotse_report::number::{format_percent, format_seconds, significant};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::short_names::short_path;
use super::words::name_of;
use super::{count, grouped, path_name, seconds, share, table};
use crate::analyze::PhasesAnswer;
use crate::iterations::{IterationKind, Iterations};
use crate::phases::PhaseAnswer;
use crate::store::{path_parts, short_name};

/// A row for each phase, then the iterations.
pub fn phases(answer: &PhasesAnswer) -> Document {
    let mut document = Document::new();
    let columns = vec![
        Column::right("phase"),
        Column::decimal("begin", "s"),
        Column::decimal("end", "s"),
        Column::right("share"),
        Column::path("mostly"),
        Column::path("call path"),
        Column::right("its share").droppable(2),
        Column::left("begins because of").droppable(1),
        Column::decimal("change", "").droppable(3),
    ];
    document
        .blocks
        .extend(longest(answer).map(|text| Block::Paragraph(vec![Inline::Marked(Role::Strong, text)])));
    let rows = answer.phases.iter().enumerate().map(|(number, phase)| row(number, phase));
    table(&mut document, "", columns, rows.collect());
    match &answer.iterations {
        Some(iterations) => iteration_sentences(iterations).into_iter().for_each(|it| {
            document.paragraph(it);
        }),
        None => {
            document.paragraph(
                "No loop was found: the first threads of most processes repeat no sequence of calls over half of the time.",
            );
        }
    }
    document
}

/// A sentence with the number of phases and the longest of them.
fn longest(answer: &PhasesAnswer) -> Option<String> {
    let phases = answer.phases.iter().enumerate();
    let (number, phase) = phases.max_by(|a, b| a.1.share.total_cmp(&b.1.share))?;
    let count = match answer.phases.len() {
        1 => {
            let (mostly, path) = (name_of(phase.dominant_class), short_path(&phase.dominant_callpath));
            let at = if path.is_empty() { String::new() } else { format!(", most of it in {path}") };
            return Some(format!("The run behaves alike throughout: one phase, mostly {mostly}{at}."));
        }
        many => format!("{many} phases"),
    };
    Some(format!(
        "The run has {count}; the longest is number {} ({} of the run), mostly {}.",
        number + 1,
        format_percent(phase.share, 1),
        name_of(phase.dominant_class)
    ))
}

fn row(number: usize, phase: &PhaseAnswer) -> Vec<Cell> {
    vec![
        count(number as u64 + 1),
        seconds(phase.begin),
        seconds(phase.end),
        share(phase.share, 1.0),
        name_of(phase.dominant_class).into(),
        path_name(&phase.dominant_callpath),
        share(phase.dominant_callpath_share, 1.0),
        phase.changed_metric.as_deref().map_or(Cell::text(""), Cell::text),
        phase.change.map_or_else(|| Cell::text(""), |change| Cell::number(significant(change, 3), change)),
    ]
}

/// Sentences about the iterations: their number, calls, durations and outliers.
fn iteration_sentences(iterations: &Iterations) -> Vec<String> {
    let durations = &iterations.durations;
    let where_to = match (iterations.processes, iterations.all_processes) {
        (some, all) if some == all => String::new(),
        (some, all) => format!(" on {some} of {all} processes"),
    };
    let of_longest =
        if iterations.processes > 1 { ", on the process that takes longest for each" } else { "" };
    let mut sentences = vec![format!(
        "{} iterations of {} ({} of the run){where_to}: {} each on average, {} to {}{of_longest}.",
        grouped(iterations.count as u64),
        body(&iterations.callpaths),
        format_percent(iterations.coverage, 1),
        format_seconds(durations.mean),
        format_seconds(durations.least),
        format_seconds(durations.most)
    )];
    sentences.extend(iterations.outer.map(|outer| {
        format!(
            "They are repeated by a loop of {} turns of {} calls; the trace does not tell which of both is the main loop.",
            grouped(outer.count as u64),
            outer.calls
        )
    }));
    if iterations.kind == IterationKind::Pattern && iterations.callpaths.len() == 1 {
        sentences.push(
            "This is one call again and again: how many of them make a turn of the program's loop is not recorded."
                .to_owned(),
        );
    }
    sentences.extend(slow(iterations));
    sentences
}

/// A sentence about iterations that took notably longer.
fn slow(iterations: &Iterations) -> Option<String> {
    let most = iterations.slow.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let longest = format!("number {}: {}", most.iteration + 1, format_seconds(most.seconds));
    Some(match iterations.slow.len() {
        1 => format!("1 iteration took notably longer ({longest})."),
        many => format!("{many} iterations took notably longer (most {longest})."),
    })
}

/// The greatest number of calls named in a sentence.
const MOST_CALLS: usize = 6;

/// The calls of one iteration below the call path that they share: `3 x compute, MPI_Send`.
fn body(callpaths: &[String]) -> String {
    let parts: Vec<Vec<&str>> =
        callpaths.iter().map(|path| path_parts(path).map(short_name).collect()).collect();
    if let [only] = &parts[..] {
        return only.join("/");
    }
    let shared = parts.first().map_or(0, |first| first.len().saturating_sub(1));
    let shared = parts.iter().fold(shared, |shared, other| {
        parts[0].iter().zip(other).take(shared).take_while(|(one, two)| one == two).count()
    });
    let names: Vec<String> = parts.iter().map(|it| it[shared..].join("/")).collect();
    let repeated = names.chunk_by(|one, two| one == two);
    let repeated: Vec<String> = repeated
        .map(|same| if same.len() > 1 { format!("{} x {}", same.len(), same[0]) } else { same[0].clone() })
        .collect();
    let more = match repeated.len().saturating_sub(MOST_CALLS) {
        0 => String::new(),
        _ => format!(", … ({} calls)", names.len()),
    };
    let within = if shared > 0 { format!(" in {}", parts[0][..shared].join("/")) } else { String::new() };
    format!("{}{more}{within}", repeated[..repeated.len().min(MOST_CALLS)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::body;

    #[test]
    fn the_calls_of_an_iteration_are_short() {
        let body_of = |paths: &[&str]| body(&paths.iter().map(|&path| path.to_owned()).collect::<Vec<_>>());
        assert_eq!(body_of(&["int main()/void step(int)"]), "main/step");
        let paths = ["int main()/a", "int main()/a", "int main()/MPI_Send"];
        assert_eq!(body_of(&paths), "2 x a, MPI_Send in main");
        assert_eq!(body_of(&["x", "y"]), "x, y");
        let many: Vec<String> = (0..9).map(|number| format!("m/f{number}")).collect();
        assert_eq!(body(&many), "f0, f1, f2, f3, f4, f5, … (9 calls) in m");
    }
}
