//! Waits, messages and counts of external traces, compared with values of their authors or of an independent program.
//!
//! Tolerances are given in the files; a call path agrees if it ends with the expected one.

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::rule::Thresholds;
use lotse_model::trace::{EventKind, Ticks};
use lotse_model::work::Sequential;
use lotse_trace::store::{OpRef, Trace};
use lotse_trace::waits;
use serde_json::Value;

use crate::cases::{self, Case};

/// A sum of severities: metric, location, call path.
type SeverityKey = (String, u64, String);

/// Numbers that must be equal, by the key they are expected under.
fn counts(trace: &Trace) -> BTreeMap<&'static str, Value> {
    let links = &trace.links;
    let events: u64 = trace.timelines.iter().map(|it| it.kinds.total()).sum();
    BTreeMap::from([
        ("events", events.into()),
        ("locations", trace.timelines.len().into()),
        ("messages", links.messages.into()),
        ("unmatched_sends", links.unmatched_sends.into()),
        ("unmatched_recvs", links.unmatched_recvs.into()),
        ("collectives", links.collectives.len().into()),
        ("clock_violations", violations(trace).into()),
        ("max_depth", trace.max_depth.into()),
        ("first_tick", trace.first_tick().into()),
        ("last_tick", trace.last_tick().into()),
        ("timer_resolution", trace.definitions.clock.resolution.into()),
        ("incomplete_locations", trace.incomplete.iter().map(|it| Value::from(it.0)).collect()),
        ("event_kinds", kinds(trace)),
        ("visits", visits(trace)),
    ])
}

/// Messages that were received before they were sent.
fn violations(trace: &Trace) -> u64 {
    let backwards = |receive: OpRef| {
        let receives = matches!(trace.op(receive).kind(), EventKind::MpiRecv | EventKind::MpiIrecv);
        let send = trace.links.partner(receive).filter(|_| receives);
        send.is_some_and(|send| trace.op(send).at > trace.op(receive).at)
    };
    let ops = |location| (0..trace.timeline(location).ops.len() as u32).map(move |op| OpRef { location, op });
    trace.locations().flat_map(ops).filter(|&op| backwards(op)).count() as u64
}

fn kinds(trace: &Trace) -> Value {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, count) in trace.timelines.iter().flat_map(|it| it.kinds.seen()) {
        *sums.entry(kind.name()).or_default() += count;
    }
    serde_json::to_value(sums).unwrap()
}

fn visits(trace: &Trace) -> Value {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for used in trace.uses.iter().flatten().filter(|used| used.visits > 0) {
        *sums.entry(trace.region_name(trace.paths.region(used.path))).or_default() += used.visits;
    }
    serde_json::to_value(sums).unwrap()
}

fn severities(trace: &Trace) -> BTreeMap<SeverityKey, Ticks> {
    let found = waits::search(trace, &Thresholds::default(), &Sequential);
    let mut sums = BTreeMap::new();
    for row in &found.cube {
        let key = (row.metric.id.to_owned(), u64::from(row.location.0), trace.path_name(row.path));
        *sums.entry(key).or_default() += row.ticks;
    }
    sums
}

fn expected_severities(rows: &Value) -> BTreeMap<SeverityKey, f64> {
    let mut sums = BTreeMap::new();
    for row in rows.as_array().unwrap() {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let key = (text("metric"), row["location"].as_u64().unwrap(), text("callpath"));
        *sums.entry(key).or_default() += row["seconds"].as_f64().unwrap();
    }
    sums
}

fn agrees(found: &SeverityKey, wanted: &SeverityKey) -> bool {
    let path = found.2 == wanted.2 || found.2.ends_with(&format!("/{}", wanted.2));
    found.0 == wanted.0 && found.1 == wanted.1 && path
}

/// Metrics that the authors of the expected values did not compute: trace, metric, seconds of all locations. Computed by
/// hand from the output of otf2-print.
const FURTHER_METRICS: &[(&str, &str, f64)] = &[
    // Two rounds of MPI_Comm_split, which one process enters late.
    ("recorded/eztrace/miniamr-mpi4/miniamr_trace", "comm_create", 2.940_986_87),
    // One round of pthread_barrier_wait.
    ("recorded/eztrace/pthread4/pt_trace", "thread_barrier_wait", 0.133_540_22),
    // For each pthread_mutex_lock, from its enter to the last pthread_mutex_unlock of its mutex before its leave.
    ("recorded/eztrace/pthread4/pt_trace", "lock_contention", 1.125_010_731),
    // From the enter of each pthread_join to the last ThreadEnd before its leave.
    ("recorded/eztrace/pthread4/pt_trace", "thread_join_wait", 0.439_846_832),
    // From the enters of hipEventSynchronize to the ends of the kernels, as in `accelerators`.
    (
        "recorded/fastotf2/simple-mi300-example-run",
        "accelerator_wait",
        (17_520_695_389.0 + 6_024_744_906.0) / 3_699_958_577.0,
    ),
    // MPI_Init and MPI_Finalize.
    ("recorded/pipit/ping-pong-otf2", "init_finalize", 671_877.0 / 2_095_197_216.0),
    // The two messages of 2 MiB, sent and received.
    ("recorded/pipit/ping-pong-otf2", "large_messages", 6_442_643.0 / 2_095_197_216.0),
    // The root's last sender enters at 1.336 s, the first at 0.528 s.
    ("synthetic/09_early_reduce_root1", "reduce_last_sender", 0.808),
    // Three workers are idle for 0.18, 1.254 and 1.734 s.
    ("synthetic/14_openmp_implicit_barrier", "omp_idle_threads", 9.504),
    // Two regions on four threads, each 0.02 s after its fork.
    ("synthetic/14_openmp_implicit_barrier", "omp_management", 0.16),
];

fn further_metrics<'n>(name: &'n str) -> impl Iterator<Item = (&'static str, f64)> + use<'n> {
    FURTHER_METRICS.iter().filter(move |(of, ..)| *of == name).map(|&(_, metric, seconds)| (metric, seconds))
}

/// The differences between the severities of a trace and the expected ones.
fn differences(
    name: &str,
    trace: &Trace,
    wanted: &BTreeMap<SeverityKey, f64>,
    tolerance: f64,
) -> Vec<String> {
    let found = severities(trace);
    let mut used: BTreeSet<&SeverityKey> = BTreeSet::new();
    let mut wrong = Vec::new();
    for (row, seconds) in wanted {
        let mine: Vec<&SeverityKey> = found.keys().filter(|it| agrees(it, row)).collect();
        let have = trace.seconds(mine.iter().map(|it| found[*it]).sum());
        if (have - seconds).abs() > tolerance.max(tolerance * seconds.abs()) {
            wrong.push(format!("{row:?}: {have} instead of {seconds}"));
        }
        used.extend(mine);
    }
    for (metric, seconds) in further_metrics(name) {
        let mine: Vec<&SeverityKey> = found.keys().filter(|row| row.0 == metric).collect();
        let have = trace.seconds(mine.iter().map(|row| found[*row]).sum());
        if (have - seconds).abs() > tolerance.max(1e-9) {
            wrong.push(format!("{metric} in all: {have} instead of {seconds}"));
        }
        used.extend(mine);
    }
    let unexpected = found.iter().filter(|(row, _)| !used.contains(row));
    let unexpected = unexpected.filter(|(_, ticks)| trace.seconds(**ticks) > tolerance);
    wrong.extend(unexpected.map(|(row, ticks)| format!("unexpected {row:?} {}", trace.seconds(*ticks))));
    wrong
}

fn check(case: &Case) -> Vec<String> {
    let (trace, expected) = (case.read(), &case.expected);
    let mut wrong = Vec::new();
    for (key, have) in counts(&trace) {
        if let Some(want) = expected.get(key).filter(|want| **want != have) {
            wrong.push(format!("{key}: {have} instead of {want}"));
        }
    }
    if let Some(rows) = expected.get("severities") {
        let tolerance = expected.get("tolerance").and_then(Value::as_f64).unwrap_or(2e-8);
        wrong.extend(differences(&case.name, &trace, &expected_severities(rows), tolerance));
    }
    wrong.into_iter().map(|it| format!("{}: {it}", case.name)).collect()
}

#[test]
fn waits_and_counts_agree_with_expected_values() {
    let Some(cases) = cases::all() else { return };
    assert!(cases.len() >= 28, "only {} traces have values", cases.len());
    let wrong: Vec<String> = cases.iter().flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
