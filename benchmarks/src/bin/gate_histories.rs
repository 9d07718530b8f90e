//! Gates over simulated histories: how often they raise a false alarm in a year, and how soon they detect a true step.
//!
//! Lotse is compared with a simple script, which raises an alarm if the newest result is slower than the previous one by more than
//! the tolerance.

use std::process::ExitCode;

use benchmarks::table;
use benchmarks::{Dice, Error, finish};
use clap::Parser;
use lotse_bench::gate::{Baseline, Decision, Limits, judge};
use lotse_bench::history::{HistoryQuery, analyse};
use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use lotse_stats::distribution::normal_quantile;
use lotse_store::{MetricPoint, ResultId, SourceOrigin, StoredResult};

/// Results before the first is judged.
const BEFORE: usize = 20;
/// The error of a result, as estimated from its runs.
const OWN_ERROR: f64 = 0.003;
/// How far from its true place a change may be reported.
const PLACE: usize = 3;

/// Simulates histories without and with changes, and judges every result of them.
#[derive(Parser)]
struct Args {
    /// Histories of each kind
    #[arg(long, default_value_t = 40)]
    histories: u64,
    /// Results of each, a year of work days
    #[arg(long, default_value_t = 300)]
    results: usize,
    /// The largest share by which a result may be slower
    #[arg(long, default_value_t = 0.02)]
    max_regression: f64,
    /// Standard deviation from one result to the next
    #[arg(long, default_value_t = 0.01)]
    spread: f64,
}

/// How results vary when nothing changes.
#[derive(Debug, Clone, Copy)]
enum Noise {
    Independent,
    /// Each result is correlated with the one before.
    Correlated(f64),
    /// One result in twenty was disturbed and is 5 to 20 % slower.
    Disturbed,
}

/// What happens in the middle.
#[derive(Debug, Clone, Copy)]
enum Event {
    Nothing,
    Step(f64),
    /// From the first result to the last.
    Drift(f64),
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let noises = [
        ("independent", Noise::Independent),
        ("correlated 0.3", Noise::Correlated(0.3)),
        ("correlated 0.6", Noise::Correlated(0.6)),
        ("disturbed", Noise::Disturbed),
    ];
    let events = [Event::Nothing, Event::Step(0.03), Event::Step(0.05), Event::Step(0.1), Event::Drift(0.1)];
    let mut rows = Vec::new();
    for (name, noise) in noises {
        for event in events {
            let seen: Vec<Seen> =
                (0..args.histories).map(|number| watch(args, noise, event, number)).collect();
            rows.push(row(args, name, event, &seen));
        }
    }
    let titles = [
        "noise, event",
        "false alarms a year: gate",
        "script",
        "false changes a year",
        "step seen by the gate",
        "after results",
        "step found in the history",
        "after results",
    ];
    let caption = format!(
        "{} histories of {} results, spread {:.1} %, allowed {:.1} %",
        args.histories,
        args.results,
        args.spread * 100.0,
        args.max_regression * 100.0
    );
    table::print(&caption, &titles, &rows)
}

/// The alarms and changes in one history.
#[derive(Debug, Default)]
struct Seen {
    judged: usize,
    false_alarms: usize,
    script_alarms: usize,
    false_changes: usize,
    gate_delay: Option<usize>,
    found_delay: Option<usize>,
}

fn row(args: &Args, name: &str, event: Event, seen: &[Seen]) -> Vec<String> {
    let judged: usize = seen.iter().map(|seen| seen.judged).sum();
    let year = |count: usize| format!("{:.2}", count as f64 / judged as f64 * args.results as f64);
    let total = |pick: fn(&Seen) -> usize| year(seen.iter().map(pick).sum());
    let per_history = seen.iter().map(|seen| seen.false_changes).sum::<usize>() as f64 / seen.len() as f64;
    let delays = |pick: fn(&Seen) -> Option<usize>| {
        let mut delays: Vec<usize> = seen.iter().filter_map(pick).collect();
        delays.sort_unstable();
        let middle = delays.get(delays.len() / 2).map_or_else(|| "–".to_owned(), ToString::to_string);
        (format!("{} of {}", delays.len(), seen.len()), middle)
    };
    let step = matches!(event, Event::Step(_));
    let (gate, gate_delay) = delays(|seen| seen.gate_delay);
    let (found, found_delay) = delays(|seen| seen.found_delay);
    let only = |text: String| if step { text } else { "–".to_owned() };
    let what = match event {
        Event::Nothing => "nothing".to_owned(),
        Event::Step(size) => format!("+{:.0} %", size * 100.0),
        Event::Drift(size) => format!("drift of {:.0} %", size * 100.0),
    };
    vec![
        format!("{name}, {what}"),
        total(|seen| seen.false_alarms),
        total(|seen| seen.script_alarms),
        format!("{per_history:.2}"),
        only(gate),
        only(gate_delay),
        only(found),
        only(found_delay),
    ]
}

fn watch(args: &Args, noise: Noise, event: Event, number: u64) -> Seen {
    let middle = args.results / 2;
    let entries = history(args, noise, event, number);
    let limits = Limits { max_regression: args.max_regression, ..Limits::default() };
    let mut seen = Seen::default();
    for at in BEFORE..args.results {
        let after_step = matches!(event, Event::Step(_)) && at >= middle;
        if after_step && seen.gate_delay.is_some() && seen.found_delay.is_some() {
            break;
        }
        let judged = judge(&entries[at], &entries[..at], &Baseline::Last(10), &limits);
        let alarm = judged.is_ok_and(|answer| answer.decision == Decision::Regression);
        let value = |at: usize| entries[at].points[0].centre.unwrap_or(1.0);
        let script = value(at) / value(at - 1) > 1.0 + args.max_regression;
        if after_step {
            if alarm && seen.gate_delay.is_none() {
                seen.gate_delay = Some(at - middle);
            }
            if seen.found_delay.is_none()
                && changes(&entries[..=at]).iter().any(|place| place.abs_diff(middle) <= PLACE)
            {
                seen.found_delay = Some(at - middle);
            }
            continue;
        }
        seen.judged += 1;
        seen.false_alarms += usize::from(alarm);
        seen.script_alarms += usize::from(script);
    }
    let places = changes(&entries);
    let is_true = |place: &&usize| matches!(event, Event::Step(_)) && place.abs_diff(middle) <= PLACE;
    seen.false_changes = places.len() - places.iter().filter(is_true).count();
    seen
}

/// The indices of changes of level that the history reports.
fn changes(entries: &[StoredResult]) -> Vec<usize> {
    let answer = analyse("", entries, &HistoryQuery::default());
    answer.series.iter().flat_map(|series| &series.changes).map(|change| change.after.id as usize).collect()
}

fn history(args: &Args, noise: Noise, event: Event, number: u64) -> Vec<StoredResult> {
    let mut dice = Dice::new(7, &format!("{noise:?} {event:?}"), number);
    let mut last = 0.0;
    let middle = args.results / 2;
    let mut entries = Vec::new();
    for at in 0..args.results {
        let fresh = normal(&mut dice);
        last = match noise {
            Noise::Correlated(lag) => lag * last + (1.0 - lag * lag).sqrt() * fresh,
            Noise::Independent | Noise::Disturbed => fresh,
        };
        let disturbed = matches!(noise, Noise::Disturbed) && dice.once_in(20);
        let slower = if disturbed { 0.05 + 0.15 * dice.below(1000) as f64 / 1000.0 } else { 0.0 };
        let level = match event {
            Event::Step(size) if at >= middle => (1.0 + size).ln(),
            Event::Drift(size) => (1.0 + size).ln() * at as f64 / args.results as f64,
            Event::Step(_) | Event::Nothing => 0.0,
        };
        entries.push(entry(at, (level + args.spread * last + slower).exp()));
    }
    entries
}

fn normal(dice: &mut Dice) -> f64 {
    normal_quantile(((dice.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64)
}

fn entry(at: usize, centre: f64) -> StoredResult {
    let point = MetricPoint {
        program: "app".to_owned(),
        command: "app".to_owned(),
        commit: None,
        metric: "wall".to_owned(),
        unit: Unit::Seconds,
        runs: 30,
        failed: 0,
        contended: 0,
        centre: Some(centre),
        error: Some(OWN_ERROR),
    };
    StoredResult {
        id: ResultId(at as i64),
        date: String::new(),
        origin: SourceOrigin::default(),
        machine: Some(Fingerprint::default()),
        primary: Some("wall".to_owned()),
        labels: Vec::new(),
        points: vec![point],
    }
}
