//! Why the program waits: losses first, then where the time went.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::shorten::{Kind, shortened};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::short_names::short_path;
use super::what_if::distribution;
use super::{DEEPER, blame, count, path_name, plural, seconds, share, shown, table};
use crate::answer::{Answer, Facts, LossAnswer, SeverityAnswer, TimeAnswer};
use crate::efficiency::Efficiency;
use crate::metric::Bound;
use crate::patterns;

/// The answer for people, with at most `limit` rows in a list; 0 for all.
pub fn analyze(answer: &Answer, limit: usize) -> Document {
    let mut document = Document::new();
    document.lead(waiting(answer));
    document.blocks.extend(unrecorded(&answer.facts).map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    document.blocks.extend(blame::sentence(answer).map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    for farm in &answer.dynamic_distribution {
        document.paragraph(format!(
            "{} Reachable gains keep who did which task, so they are lower bounds.",
            distribution(farm, &answer.facts.location_labels)
        ));
    }
    document.paragraph(summary(answer));
    if answer.corrected.clocks {
        document.paragraph("The clocks were corrected; all times and shares are by the corrected clocks.");
    }
    blame::rows(&mut document, answer, limit);
    if answer.losses.is_empty() {
        document.paragraph("No wait is long enough to be listed.");
    } else {
        let rows = shown(&answer.losses, limit).iter().map(|loss| loss_row(answer, loss)).collect();
        table(&mut document, "Time lost by waiting", loss_columns(), rows);
        if shown(&answer.losses, limit).iter().any(LossAnswer::is_doubtful) {
            document.paragraph("≈: shorter than the uncertainty of the clocks; there may be no wait at all.");
        }
    }
    critical(&mut document, answer, limit);
    let mut rows = Vec::new();
    descend(answer, None, 0, &mut rows);
    rows.extend(overlap_row(answer));
    table(&mut document, "Time of all locations", time_columns(), rows);
    document
}

/// What the recorder left out, before anything is concluded from the rest.
pub(super) fn unrecorded(facts: &Facts) -> Option<String> {
    let share: f64 = facts.unrecorded.iter().map(|row| row.share).sum();
    let names: Vec<&str> = facts.unrecorded.iter().map(|row| row.region.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "The recorder wrote nothing of what {} does ({} of the time of all locations): what these calls wait for \
             is not known, so waits, causes and gains are lower bounds.",
            names.join(", "),
            format_percent(share.min(1.0), 1)
        )
    })
}

/// How much of the time waits, for what, and what could be gained.
fn waiting(answer: &Answer) -> String {
    let whole = answer.time_tree.first().map_or(0.0, |root| root.inclusive);
    let is_wait = |id: &str| patterns::metrics().any(|metric| metric.id == id);
    let outermost = |node: &&TimeAnswer| is_wait(node.id) && !node.parent.is_some_and(is_wait);
    let waits: f64 = answer.time_tree.iter().filter(outermost).map(|node| node.inclusive).sum();
    if whole <= 0.0 || waits <= 0.0 {
        return "No location waits for another.".to_owned();
    }
    let share = format_percent(waits / whole, 1);
    let Some(first) = answer.losses.first() else {
        return format!("{share} of the time of all locations is waiting.");
    };
    let path = |path: &str| shortened(Kind::Path, &short_path(path), LETTERS);
    let cause = first.cause.as_ref().filter(|cause| !cause.callpath.is_empty());
    let cause = cause.map_or_else(String::new, |cause| {
        let name = answer.facts.location_labels.get(cause.location as usize).map_or("", String::as_str);
        format!(", caused by {} on {name}", path(&cause.callpath))
    });
    let gain = first.gain.map_or_else(String::new, |gain| {
        let without = if first.cause.is_some() { "if that took no time there" } else { "without it" };
        format!("; {without} the run would be {} shorter", format_seconds(gain))
    });
    format!(
        "{share} of the time of all locations is waiting; the largest part is {} in {} ({}{}){cause}{gain}.",
        first.title,
        path(&first.callpath),
        sign(first.bound, first.is_doubtful()),
        format_seconds(first.seconds)
    )
}

/// Call paths in sentences take no more.
const LETTERS: usize = 48;

/// How long the run is, and the efficiencies of the part that is the program's own.
fn summary(answer: &Answer) -> String {
    let run = &answer.corrected;
    let head = format!("{} on {}", format_seconds(run.runtime), plural(answer.facts.locations, "location"));
    let Some(pop) = &answer.focus.efficiency else { return head };
    let own = match answer.focus.seconds < run.runtime {
        true => format!(", {} of it {}", format_seconds(answer.focus.seconds), answer.focus.what),
        false => String::new(),
    };
    let whole = run.pop.as_ref().and_then(|pop| pop.parallel_efficiency).filter(|_| !own.is_empty());
    let whole = whole
        .map_or_else(String::new, |whole| format!(" there; {} over the whole run", format_percent(whole, 1)));
    format!("{head}{own}; {}{whole}", efficiencies(pop))
}

/// The efficiencies that are known, in a sentence.
fn efficiencies(pop: &Efficiency) -> String {
    let known = [
        ("parallel efficiency", pop.parallel_efficiency),
        ("load balance", pop.load_balance),
        ("serialisation", pop.serialisation_efficiency),
        ("transfer", pop.transfer_efficiency),
        ("threads", pop.omp_parallel_efficiency.filter(|_| pop.threads > pop.useful.len())),
    ];
    let words = known.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    words.map(|(name, value)| format!("{name} {}", format_percent(value, 1))).collect::<Vec<_>>().join(", ")
}

fn loss_columns() -> Vec<Column> {
    vec![
        Column::decimal("lost", "s"),
        Column::right("share").goes(2),
        Column::left("cause"),
        Column::left("who").goes(3),
        Column::path("call path"),
        Column::path("mostly because of"),
        Column::path("on").goes(1),
        Column::decimal("reachable gain", "s"),
    ]
}

fn loss_row(answer: &Answer, loss: &LossAnswer) -> Vec<Cell> {
    let name = |location: u32| answer.facts.location_labels.get(location as usize).map_or("", String::as_str);
    let who = match loss.locations {
        1 => name(loss.worst_location).to_owned(),
        many => format!("{many} locations, most {}", name(loss.worst_location)),
    };
    let by = loss.cause.as_ref().map_or_else(Cell::default, |cause| path_name(&cause.callpath));
    let on = loss.cause.as_ref().map_or_else(String::new, |cause| {
        let other = if cause.contested { ", or another" } else { "" };
        format!("{}{other}", name(cause.location))
    });
    vec![
        bounded(loss.seconds, loss.bound, loss.is_doubtful()).role(Role::Strong),
        share(loss.share, 1.0),
        loss.title.into(),
        who.into(),
        loss.callpath.as_str().into(),
        by,
        on.into(),
        loss.gain.map_or_else(|| Cell::text(""), seconds),
    ]
}

/// A time that says where it is a bound, and where the clocks leave it in doubt.
fn bounded(value: f64, bound: Bound, is_doubtful: bool) -> Cell {
    Cell::number(format!("{}{}", sign(bound, is_doubtful), format_seconds(value)), value)
}

fn sign(bound: Bound, is_doubtful: bool) -> &'static str {
    match bound {
        _ if is_doubtful => "≈ ",
        Bound::Exact => "",
        Bound::Lower => "≥ ",
        Bound::Upper => "≤ ",
    }
}

/// Where the critical path spends its time, and what zeroing it would gain.
fn critical(document: &mut Document, answer: &Answer, limit: usize) {
    let mut rows = answer.critical_path.clone();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let zeroed = |path: &str| answer.what_if_zero.iter().find(|zero| zero.callpath == path);
    let cells = shown(&rows, limit).iter().map(|row| {
        let location = answer.facts.location_labels.get(row.location as usize).map_or("", String::as_str);
        vec![
            seconds(row.seconds),
            share(row.seconds, answer.critical_path_length),
            path_name(&row.callpath),
            location.into(),
            zeroed(&row.callpath).map_or_else(|| Cell::text(""), |zero| seconds(zero.gain)),
        ]
    });
    let columns = vec![
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::path("call path"),
        Column::path("location"),
        Column::decimal("gain if it took no time anywhere", "s"),
    ];
    let caption = format!("Critical path, {}", format_seconds(answer.critical_path_length));
    table(document, &caption, columns, cells.collect());
}

fn time_columns() -> Vec<Column> {
    vec![
        Column::left("what"),
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::decimal("alone", "s"),
    ]
}

/// The nodes below one, each before its own parts. The tree is as deep as metrics have parents.
fn descend(answer: &Answer, parent: Option<&str>, depth: usize, rows: &mut Vec<Vec<Cell>>) {
    for node in answer.time_tree.iter().filter(|node| node.parent == parent) {
        rows.push(time_row(answer, node, depth));
        descend(answer, Some(node.id), depth + 1, rows);
    }
}

fn time_row(answer: &Answer, node: &TimeAnswer, depth: usize) -> Vec<Cell> {
    let whole = answer.time_tree.first().map_or(0.0, |root| root.inclusive);
    vec![
        format!("{}{}", DEEPER.repeat(depth), node.id).into(),
        seconds(node.inclusive),
        share(node.inclusive, whole),
        seconds(node.exclusive),
    ]
}

/// Waits that are in none of the rows above.
fn overlap_row(answer: &Answer) -> Option<Vec<Cell>> {
    let overlap: f64 = answer.time_tree.iter().map(|node| node.overlap).sum();
    let row = || vec!["(waits during a longer wait of the same call)".into(), seconds(overlap)];
    (overlap > 0.0).then(row)
}

/// The cube, cell by cell; only one metric and its parts where asked for.
pub fn severities(answer: &Answer, rows: &[SeverityAnswer], limit: usize) -> Document {
    let mut rows: Vec<&SeverityAnswer> = rows.iter().collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let name = |location: u32| answer.facts.location_labels.get(location as usize).map_or("", String::as_str);
    let cells = shown(&rows, limit).iter().map(|row| {
        vec![
            row.metric.into(),
            count(u64::from(row.location)),
            name(row.location).into(),
            path_name(&row.callpath),
            bounded(row.seconds, row.bound, row.is_doubtful()),
            if row.is_doubtful() { "uncertain" } else { bound_name(row.bound) }.into(),
        ]
    });
    let columns = vec![
        Column::left("metric"),
        Column::right("location"),
        Column::path("name").goes(1),
        Column::path("call path"),
        Column::decimal("time", "s"),
        Column::left("bound").goes(2),
    ];
    let mut document = Document::new();
    table(&mut document, "", columns, cells.collect());
    document
}

fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;
    use lotse_model::work::Sequential;
    use lotse_report::Options as Rendering;

    use crate::analyze::{Clocks, Options, analyze};
    use crate::fixture::Script;

    /// Two come to barriers 10 ms after each other, by clocks that are 5 s apart and can be known to 15 ms.
    fn script() -> Script {
        let mut script = Script::processes(2);
        for (location, (ahead, late)) in [(0, 0), (5000, 10)].into_iter().enumerate() {
            script.enter(location, ahead, "main");
            for at in (0..5).map(|round| ahead + 40 * round) {
                script.barrier(location, at + late, at + 20);
            }
            script.leave(location, ahead + 200, "main");
        }
        script
    }

    #[test]
    fn corrected_clocks_and_their_uncertainty_are_told() {
        let options = Options {
            clock: Clocks::Corrected,
            phase: None,
            phases: crate::phases::Options::default(),
            thresholds: &Thresholds::default(),
            least_share: 0.01,
            quick: true,
            name: "a trace",
            call: lotse_model::Invocation::NONE,
        };
        let terminal = lotse_report::format::named("terminal").unwrap();
        let text = |document| terminal.to_string(&document, Rendering::default()).unwrap();
        let answer = analyze(script().trace(), &options, &Sequential).unwrap();
        let shown = text(super::analyze(&answer, 10));
        for part in ["The clocks were corrected;", "≈ 25.00 ms", "≈: shorter than the uncertainty"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let cube = text(super::severities(&answer, &answer.corrected_severities, 0));
        assert!(cube.contains("uncertain") && !cube.contains("exact"), "{cube}");
        let raw = analyze(script().trace(), &Options { clock: Clocks::Raw, ..options }, &Sequential).unwrap();
        assert!(!text(super::analyze(&raw, 10)).contains("clocks were corrected"));
    }
}
