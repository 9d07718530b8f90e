//! The document about one saved function.

use lotse_report::{Block, Document, Inline};

use super::{note, pictures};
use crate::answer::{FunctionAnswer, LoopAnswer, RefusedAnswer};
use crate::report::{TimeStatement, loops_table};

/// The reasons of this many loops are listed, as on the command line.
const REASONS: usize = 6;

/// The sentence about the time, the loops as bars and as a table, and why they take that long.
pub(super) fn document(answer: &FunctionAnswer) -> Document {
    let mut document = Document::new();
    document.lead(sentence(answer));
    if let Some(bound) = &answer.bound {
        list(&mut document, "Data decide here about the time:", &bound.because);
    }
    if !answer.loops.is_empty() {
        document.push(Block::Figure(pictures::loops(answer)));
        let mut caches: Vec<(&String, &u64)> = answer.head.basis.machine.caches.iter().collect();
        caches.sort_by_key(|(_, size)| **size);
        let names = caches.iter().map(|(name, _)| name.as_str());
        document.push(Block::Table(loops_table(names, &answer.loops, answer.seconds)));
        let mut innermost: Vec<&LoopAnswer> = innermost(&answer.loops);
        innermost.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let reason = |it: &&LoopAnswer| vec![Inline::Text(format!("{}: {}", it.label(), it.why))];
        document.push(Block::List(innermost.iter().take(REASONS).map(reason).collect()));
        document.paragraph(format!("Time as a formula, while the same limits hold: {}", answer.formula));
    }
    list(
        &mut document,
        "These parts are not in the time, and how long they take is not known:",
        &answer.refused,
    );
    note(&mut document, &answer.head);
    document
}

/// The time in a sentence, as the command line has it.
pub(super) fn sentence(answer: &FunctionAnswer) -> String {
    let range = answer.bound.as_ref().map(|bound| (bound.least, bound.most));
    let values = answer.head.parameters.iter().map(|(name, value)| format!("{name} = {value}"));
    let values: Vec<String> = values.collect();
    let statement = TimeStatement {
        name: &answer.head.function,
        at: if values.is_empty() { String::new() } else { format!(" at {}", values.join(", ")) },
        has_loops: !answer.loops.is_empty(),
        is_complete: answer.refused.is_empty(),
        seconds: answer.seconds,
        interval: answer.interval.into(),
        range: range.unwrap_or((answer.seconds, answer.seconds)),
    };
    statement.sentence()
}

/// The loops without loops in them: those after which no deeper one follows, in the order of the source.
fn innermost(loops: &[LoopAnswer]) -> Vec<&LoopAnswer> {
    let has_inner = |at: usize| loops.get(at + 1).is_some_and(|next| next.depth > loops[at].depth);
    (0..loops.len()).filter(|at| !has_inner(*at)).map(|at| &loops[at]).collect()
}

/// Adds places with their reasons; nothing if there are none.
fn list(document: &mut Document, title: &str, places: &[RefusedAnswer]) {
    if places.is_empty() {
        return;
    }
    document.paragraph(title);
    let row = |place: &RefusedAnswer| {
        let line = place.site.line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        vec![Inline::Text(format!("line {line}: {}", place.reason))]
    };
    document.push(Block::List(places.iter().map(row).collect()));
}
