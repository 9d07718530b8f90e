//! Utilisation of accelerator streams.

use lotse_report::{Column, Document};

use super::{count, first_rows, path_name, plural, seconds, share, table};
use crate::answer::{Answer, Facts};

/// The numbers of threads and streams, if there are streams or sources of metrics, else of locations.
pub(super) fn places(facts: &Facts) -> String {
    match (facts.threads, facts.accelerator_streams) {
        (threads, 0) if threads == facts.locations => plural(facts.locations, "location"),
        (threads, 0) => plural(threads, "thread"),
        (threads, streams) => {
            format!("{} and {}", plural(threads, "thread"), plural(streams, "accelerator stream"))
        }
    }
}

/// Adds a table with a row for each stream, if there are any.
pub(super) fn rows(document: &mut Document, answer: &Answer, limit: usize) {
    if answer.accelerators.is_empty() {
        return;
    }
    let columns = vec![
        Column::left("stream"),
        Column::decimal("busy", "s"),
        Column::right("of the run"),
        Column::right("kernels and copies").droppable(1),
        Column::path("mostly"),
    ];
    let mut streams = answer.accelerators.clone();
    streams.sort_by(|a, b| b.busy.total_cmp(&a.busy));
    let label =
        |location: u32| answer.facts.location_labels.get(location as usize).map_or("", String::as_str);
    let rows = first_rows(&streams, limit).iter().map(|it| {
        vec![
            label(it.location).into(),
            seconds(it.busy),
            share(it.share, 1.0),
            count(it.activities as u64),
            path_name(&it.longest),
        ]
    });
    table(document, "Accelerator streams", columns, rows.collect());
}
