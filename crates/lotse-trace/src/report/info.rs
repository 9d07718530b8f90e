//! What a trace contains.

use lotse_report::number::format_seconds;
use lotse_report::{Cell, Column, Document};

use super::{count, grouped, plural, seconds, table};
use crate::answer::{Facts, InfoAnswer};

/// A summary, the locations and the kinds of events.
pub fn info(answer: &InfoAnswer) -> Document {
    let mut document = Document::new();
    document.paragraph(summary(answer));
    document.paragraph(communication(&answer.facts));
    if let Some(text) = super::left_out::left_out(&answer.facts) {
        document.paragraph(text);
    }
    table(&mut document, "Locations", location_columns(), location_rows(answer));
    let columns = vec![Column::left("kind of record"), Column::right("records")];
    table(&mut document, "Records", columns, kinds(answer));
    document
}

fn summary(answer: &InfoAnswer) -> String {
    let Facts { format, events, locations, runtime, timer_resolution, .. } = &answer.facts;
    format!(
        "{format}: {} events in {} over {} in {}, {} call paths, {} ticks per second",
        grouped(*events),
        format_seconds(*runtime),
        plural(*locations, "location"),
        plural(answer.processes, "process"),
        grouped(answer.call_paths as u64),
        grouped(*timer_resolution)
    )
}

fn communication(facts: &Facts) -> String {
    let mut text = format!(
        "{} messages, {} collective operations, stacks up to {} deep",
        grouped(facts.messages),
        grouped(facts.collectives as u64),
        grouped(u64::from(facts.max_depth))
    );
    let odd = [
        (facts.unmatched_sends, "messages without a receive"),
        (facts.unmatched_recvs, "messages without a send"),
        (facts.clock_violations, "messages that arrive before they are sent: the clocks differ"),
    ];
    for (number, what) in odd.into_iter().filter(|(number, _)| *number > 0) {
        text = format!("{text}; {} {what}", grouped(number));
    }
    text
}

fn location_columns() -> Vec<Column> {
    vec![
        Column::right("location"),
        Column::path("name"),
        Column::path("process"),
        Column::left("kind"),
        Column::right("events"),
        Column::decimal("begin", "s"),
        Column::decimal("end", "s"),
    ]
}

fn location_rows(answer: &InfoAnswer) -> Vec<Vec<Cell>> {
    let row = |(number, it): (usize, &crate::answer::LocationAnswer)| {
        let lost = answer.facts.incomplete_locations.contains(&(number as u32));
        vec![
            count(number as u64),
            it.name.as_str().into(),
            it.process.as_str().into(),
            if lost { format!("{}, incomplete", it.kind).into() } else { it.kind.into() },
            count(it.events),
            seconds(it.begin),
            seconds(it.end),
        ]
    };
    answer.location_rows.iter().enumerate().map(row).collect()
}

fn kinds(answer: &InfoAnswer) -> Vec<Vec<Cell>> {
    let kinds = answer.facts.event_kinds.iter();
    kinds.map(|(name, number)| vec![(*name).into(), count(*number)]).collect()
}
