//! The critical path with what the run would gain, and what stands for gains that are not known.

use lotse_report::document::{Cell, Column, Document};
use lotse_report::number::format_seconds;

use super::super::{UNKNOWN, first_rows, path_name, seconds, share, table};
use crate::answer::Answer;
use crate::unrecorded::Hidden;

/// Stands for a gain that was not computed, or that the recording does not tell.
pub(super) fn unknown_gain() -> Cell {
    Cell::text(UNKNOWN)
}

/// Adds the table of the critical path, with the gain if a call path took no time.
pub(super) fn critical(document: &mut Document, answer: &Answer, limit: usize) {
    let mut rows = answer.critical_path.clone();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let is_known = answer.facts.hidden == Hidden::Nothing;
    let zeroed = |path: &str| answer.what_if_zero.iter().find(|zero| is_known && zero.callpath == path);
    let cells = first_rows(&rows, limit).iter().map(|row| {
        let location = answer.facts.location_labels.get(row.location as usize).map_or("", String::as_str);
        vec![
            seconds(row.seconds),
            share(row.seconds, answer.critical_path_length),
            path_name(&row.callpath),
            location.into(),
            zeroed(&row.callpath).map_or_else(unknown_gain, |zero| seconds(zero.gain)),
        ]
    });
    let cells: Vec<Vec<Cell>> = cells.collect();
    let is_incomplete =
        is_known && first_rows(&rows, limit).iter().any(|row| zeroed(&row.callpath).is_none());
    let columns = vec![
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::path("call path"),
        Column::path("location"),
        Column::decimal("gain if it took no time anywhere", "s"),
    ];
    let caption = format!("Critical path, {}", format_seconds(answer.critical_path_length));
    table(document, &caption, columns, cells);
    if !is_known && !rows.is_empty() {
        document.paragraph(UNCERTAIN_PATH);
    }
    if is_incomplete {
        document.paragraph(reason(answer.what_if_zero.len()));
    }
}

const UNCERTAIN_PATH: &str = "The critical path follows what is recorded of who waits for whom; where that is missing, it stays on its \
                              location, although another may be what the run waited for.";

/// Why gains are missing, and how to compute them.
fn reason(computed: usize) -> String {
    let which = match computed {
        0 => "No gain is computed here".to_owned(),
        1 => "The gain is computed for the longest call path only".to_owned(),
        many => format!("Gains are computed for the {many} longest call paths"),
    };
    format!(
        "–: not computed. {which}; `lotse trace what-if TRACE --scale 'CALL PATH=0'` computes any of them."
    )
}

#[cfg(test)]
mod tests {
    use lotse_model::work::Sequential;
    use lotse_report::Options as Rendering;

    use crate::analyze::{Options, analyze};
    use crate::fixture::Script;

    /// Two ranks, the first of which goes through seven call paths.
    fn report(quick: bool) -> String {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").enter(1, 0, "main");
        for (number, at) in (0..7).map(|number| (number, 100 * number)) {
            script.call(0, at, at + 100 - number, ["a", "b", "c", "d", "e", "f", "g"][number as usize]);
        }
        script.barrier(0, 700, 701).leave(0, 701, "main").barrier(1, 10, 701).leave(1, 701, "main");
        let options = Options { quick, ..Options::usual("a trace") };
        let answer = analyze(script.trace(), &options, &Sequential).unwrap();
        let terminal = lotse_report::format::named("terminal").unwrap();
        terminal.to_string(&super::super::analyze(&answer, 10), Rendering::default()).unwrap()
    }

    #[test]
    fn a_gain_that_is_not_computed_has_a_reason() {
        let whole = report(false);
        assert!(
            whole.contains("Gains are computed for the 6 longest call paths; `lotse trace what-if"),
            "{whole}"
        );
        assert_eq!(whole.matches("not computed").count(), 1, "{whole}");
        assert!(whole.lines().any(|line| line.contains("main/g") && line.ends_with('–')), "{whole}");
        let quick = report(true);
        assert!(quick.contains("No gain is computed here; `lotse trace what-if"), "{quick}");
    }
}
