//! Findings of small traces.

use lotse_model::Finding;
use lotse_model::finding::Level;
use lotse_model::work::Sequential;

use super::{RULES, all};
use crate::analyze::{Options, analyze};
use crate::answer::{Answer, SeverityAnswer};
use crate::fixture::Script;
use crate::metric::Bound;

fn found(script: &Script) -> Vec<Finding> {
    answer(script).findings
}

fn answer(script: &Script) -> Answer {
    analyze(script.trace(), &Options::usual("a trace"), &Sequential).unwrap()
}

fn findings_of<'f>(findings: &'f [Finding], rule: &str) -> Vec<&'f Finding> {
    findings.iter().filter(|finding| finding.rule.id == rule).collect()
}

/// A sender that computes too long, and a receiver.
fn late() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 750, "compute").send(0, 750, 760, 1, 0).leave(0, 1000, "main");
    script.enter(1, 0, "main").call(1, 0, 500, "compute").recv(1, 500, 770, 0, 0).leave(1, 1000, "main");
    script
}

#[test]
fn a_wait_names_its_cause_its_cost_and_what_can_be_gained() {
    let findings = found(&late());
    let [wait] = findings_of(&findings, "late_sender")[..] else { panic!("{findings:#?}") };
    let text = &wait.reason.text;
    assert!(
        text.contains("late sender in main/MPI_Recv takes 12.5 % of the whole run; 250.0 ms on rank 1"),
        "{text}"
    );
    assert!(text.contains("250.0 ms of it because of main/compute on rank 0"), "{text}");
    assert!((wait.reason.data["gain"] - 0.26).abs() <= 0.011, "{:?}", wait.reason.data);
    assert_eq!(wait.sites.len(), 2);
    assert_eq!(wait.sites[0].to_string(), "rank 0: main > compute");
    assert_eq!(wait.sites[1].to_string(), "rank 1: main > MPI_Recv");
    assert_eq!(wait.verification.as_deref(), Some("lotse trace what-if 'a trace' --zero main/compute@0"));
}

/// Rank 0 is late for rank 1, which is therefore late for rank 2, which is therefore the last at the barrier, where rank 0
/// waits for it.
#[test]
fn a_cause_that_leads_back_to_who_waits_is_said_to_be_indirect() {
    let mut script = Script::processes(3);
    script.enter(0, 0, "main").call(0, 0, 800, "compute").send(0, 800, 800, 1, 0);
    script.enter(1, 0, "main").call(1, 0, 500, "compute").recv(1, 500, 800, 0, 0).send(1, 800, 800, 2, 0);
    script.enter(2, 0, "main").call(2, 0, 500, "compute").recv(2, 500, 800, 1, 0);
    script.call(1, 800, 890, "more").call(2, 800, 900, "more");
    for (rank, arrival) in [800, 890, 900].into_iter().enumerate() {
        script.barrier(rank, arrival, 900).leave(rank, 1000, "main");
    }
    let answer = answer(&script);
    let [wait] = findings_of(&answer.findings, "wait_at_barrier")[..] else {
        panic!("{:#?}", answer.findings)
    };
    let text = &wait.reason.text;
    let indirectly = "75.00 ms of it indirectly, through waits of others, because of main/compute on rank 0";
    assert!(text.contains("most on rank 0") && text.contains(indirectly), "{text}");
    let [late] = findings_of(&answer.findings, "late_sender")[..] else { panic!("{:#?}", answer.findings) };
    assert!(!late.reason.text.contains("indirectly"), "{}", late.reason.text);
}

/// Rank 1 seems to be the last at the barrier, but nothing is known of rank 2.
#[test]
fn no_cause_is_certain_if_a_process_has_no_events() {
    let mut script = Script::processes(3);
    for (rank, arrival) in [300, 800].into_iter().enumerate() {
        script.enter(rank, 0, "main").call(rank, 0, arrival, "compute");
        script.barrier(rank, arrival, 900).leave(rank, 1000, "main");
    }
    let answer = answer(&script);
    let [wait] = findings_of(&answer.findings, "wait_at_barrier")[..] else {
        panic!("{:#?}", answer.findings)
    };
    let text = &wait.reason.text;
    assert!(text.contains("compute on rank 1, unless a process without events came later"), "{text}");
    assert!(!wait.reason.data.contains_key("gain") && wait.verification.is_none(), "{:?}", wait.reason.data);
    let terminal = lotse_report::format::named("terminal").unwrap();
    let document = crate::report::analyze(&answer, 10);
    let shown = terminal.to_string(&document, lotse_report::Options::default()).unwrap();
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(
        words.join(" ").contains("1 of 3 processes that take part in the communication has no events"),
        "{shown}"
    );
    assert!(
        shown.starts_with("At least ") && !shown.contains("rank 1 causes") && !shown.contains("caused by"),
        "{shown}"
    );
}

/// Between starting and ending MPI, which take 1 s each, the receiver waits a quarter of a second.
#[test]
fn a_share_names_what_it_is_a_share_of() {
    let mut script = Script::processes(2);
    for location in 0..2 {
        script.enter(location, 0, "main").call(location, 0, 1000, "MPI_Init");
    }
    script.call(0, 1000, 1750, "compute").send(0, 1750, 1760, 1, 0).call(0, 1760, 2000, "compute");
    script.call(1, 1000, 1500, "compute").recv(1, 1500, 1770, 0, 0).call(1, 1770, 2000, "compute");
    for location in 0..2 {
        script.call(location, 2000, 3000, "MPI_Finalize").leave(location, 3000, "main");
    }
    let answer = answer(&script);
    let [wait] = findings_of(&answer.findings, "late_sender")[..] else { panic!("{:#?}", answer.findings) };
    let between = "of the time between MPI_Init and MPI_Finalize";
    let text = &wait.reason.text;
    assert!(text.contains(&format!("late sender in main/MPI_Recv takes 12.5 % {between};")), "{text}");
    assert_eq!(wait.severity.as_ref().unwrap().of, between);
    let terminal = lotse_report::format::named("terminal").unwrap();
    let document = crate::report::analyze(&answer, 10);
    let shown = terminal.to_string(&document, lotse_report::Options::default()).unwrap();
    assert!(shown.starts_with("4.2 % of the time of all locations in the whole run is waiting;"), "{shown}");
    assert!(
        shown.contains("Time lost by waiting; shares of the time of all locations in the whole run"),
        "{shown}"
    );
    assert!(shown.contains("Time of all locations in the whole run"), "{shown}");
    assert!(!shown.contains("12.5 %"), "{shown}");
}

#[test]
fn a_source_that_is_known_is_the_place() {
    let mut script = late();
    let compute = script.region("compute");
    let region = &mut script.definitions.regions[compute.index()];
    (region.file, region.begin_line) = ("solve.c".to_owned(), 42);
    let findings = found(&script);
    assert_eq!(findings_of(&findings, "late_sender")[0].sites[0].to_string(), "solve.c:42 (compute)");
}

#[test]
fn small_waits_are_no_findings() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").send(0, 505, 506, 1, 0).leave(0, 1000, "main");
    script.enter(1, 0, "main").recv(1, 500, 507, 0, 0).leave(1, 1000, "main");
    assert!(findings_of(&found(&script), "late_sender").is_empty());
}

#[test]
fn unbalanced_work_on_the_critical_path_is_reported() {
    let mut script = Script::processes(2);
    for (location, work) in [800, 500].into_iter().enumerate() {
        script.enter(location, 0, "main").call(location, 0, work, "solve");
        script.barrier(location, work, 800).leave(location, 800, "main");
    }
    let findings = found(&script);
    let [uneven] = findings_of(&findings, "trace-imbalance")[..] else { panic!("{findings:#?}") };
    assert!((uneven.reason.data["seconds"] - 0.15).abs() < 1e-9);
    assert_eq!(uneven.severity.as_ref().unwrap().of, "of the run time");
    let text = &uneven.reason.text;
    assert!(
        text.ends_with(
            "150.0 ms above the average: spread evenly, the run would be 150.0 ms (18.8 %) shorter"
        ),
        "{text}"
    );
    assert!(uneven.verification.as_deref().unwrap().ends_with("--balance main/solve"));
}

/// The second process has less of `solve` but more of `write`: with `solve` spread evenly, it takes 650 + 450 ms,
/// longer than the first one takes now.
#[test]
fn uneven_work_without_a_gain_is_no_finding() {
    let mut script = Script::processes(2);
    for (location, (solve, write)) in [(800, 200), (500, 450)].into_iter().enumerate() {
        script.enter(location, 0, "main").call(location, 0, solve, "solve");
        script.call(location, solve, solve + write, "write").barrier(location, solve + write, 1000);
        script.leave(location, 1000, "main");
    }
    let findings = found(&script);
    assert!(findings_of(&findings, "trace-imbalance").is_empty(), "{findings:#?}");
}

/// Only the first process reads: that the others took their parts cannot be timed, so the gain is a bound.
#[test]
fn work_of_one_process_is_scaled_to_the_mean() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 600, "read").barrier(0, 600, 600).leave(0, 1000, "main");
    script.enter(1, 0, "main").barrier(1, 10, 600).leave(1, 1000, "main");
    let findings = found(&script);
    let [uneven] = findings_of(&findings, "trace-imbalance")[..] else { panic!("{findings:#?}") };
    assert!(uneven.reason.text.contains("the run would be at most 300.0 ms (30.0 %) shorter"), "{uneven:#?}");
    assert!(uneven.verification.as_deref().unwrap().ends_with("--scale main/read=0.500"));
}

#[test]
fn wrong_clocks_are_reported() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").send(0, 900, 910, 1, 0).leave(0, 2000, "main");
    script.enter(1, 0, "main").recv(1, 500, 770, 0, 0).leave(1, 2000, "main");
    assert_eq!(findings_of(&found(&script), "trace-clocks").len(), 1);
    assert!(findings_of(&found(&late()), "trace-clocks").is_empty());
}

/// Processes synchronise at barriers, which they enter with the given delays; the last one's clock is 5000 ms ahead.
fn barriers(late: &[u64]) -> Script {
    let mut script = Script::processes(late.len() as u32);
    let last = late.iter().copied().max().unwrap();
    for (location, late) in late.iter().enumerate() {
        let ahead = if location + 1 == script.definitions.locations.len() { 5000 } else { 0 };
        script.enter(location, ahead, "main");
        for round in 0..5 {
            let at = ahead + round * (last + 30);
            script.call(location, at, at + late, "solve").barrier(location, at + late, at + last + 10);
        }
        script.leave(location, ahead + 5 * (last + 30), "main");
    }
    script
}

/// The same after messages in both directions, which determine the clocks to a few milliseconds.
fn synchronised(late: &[u64]) -> Script {
    let (count, last) = (late.len(), late.iter().copied().max().unwrap());
    let mut script = Script::processes(count as u32);
    let ahead = |location: usize| if location + 1 == count { 5000 } else { 0 };
    for location in 0..count {
        script.enter(location, ahead(location), "main");
    }
    for exchange in 0..2 {
        for other in 1..count {
            let at = 10 * other as u64 + exchange * (100 + 5 * (last + 30));
            script.send(0, at, at + 1, other as u32, 0).recv(0, at + 2, at + 4, other as u32, 0);
            let there = ahead(other) + at;
            script.recv(other, there, there + 2, 0, 0).send(other, there + 2, there + 3, 0, 0);
        }
        for (location, late) in late.iter().enumerate().filter(|_| exchange == 0) {
            for round in 0..5 {
                let at = ahead(location) + 100 + round * (last + 30);
                script.call(location, at, at + late, "solve").barrier(location, at + late, at + last + 10);
            }
        }
    }
    for location in 0..count {
        script.leave(location, ahead(location) + 200 + 5 * (last + 30), "main");
    }
    script
}

/// The second process enters 10 ms after the first, and both leave 10 ms later: the error of the clocks is 15 ms, a tick
/// more because they are read in whole ticks, and one more at the end because they may drift.
#[test]
fn waits_shorter_than_clocks_are_known_to_may_be_none() {
    let answer = answer(&barriers(&[0, 10]));
    let [wait] = findings_of(&answer.findings, "wait_at_barrier")[..] else {
        panic!("{:#?}", answer.findings)
    };
    let text = &wait.reason.text;
    assert!(text.contains("about 25.00 ms"), "{text}");
    assert!(text.contains("may be none, as the clocks are only known to ± 17.00 ms"), "{text}");
    assert_eq!((wait.level, wait.certainty.get()), (Level::Note, 0.3));
    let known = |row: &&SeverityAnswer| row.metric == "wait_at_barrier";
    let row = answer.corrected_severities.iter().find(known).unwrap();
    assert_eq!((row.uncertain, row.bound, row.is_doubtful()), (Some(0.025), Bound::Exact, true));
    assert_eq!(answer.clock_offsets[0].uncertainty, Some(0.017));
    assert!(answer.severities.iter().all(|row| row.uncertain.is_none()), "as recorded");
}

#[test]
fn longer_waits_are_certain() {
    let answer = answer(&synchronised(&[0, 200]));
    let [wait] = findings_of(&answer.findings, "wait_at_barrier")[..] else {
        panic!("{:#?}", answer.findings)
    };
    let text = &wait.reason.text;
    assert!(!text.contains("about") && !text.contains("clocks"), "{text}");
    assert_eq!((wait.level, wait.certainty.get()), (Level::Warning, 0.95));
    assert!(text.contains("because of main/solve on rank 1"), "{text}");
    let is_wait = |row: &&SeverityAnswer| row.metric == "wait_at_barrier";
    assert!(answer.corrected_severities.iter().filter(is_wait).all(|row| row.uncertain.is_none()));
}

#[test]
fn the_last_to_arrive_may_be_uncertain_though_the_wait_is_not() {
    let answer = answer(&synchronised(&[0, 200, 202]));
    let loss = answer.losses.iter().find(|loss| loss.metric == "wait_at_barrier").unwrap();
    assert!(!loss.is_doubtful(), "{loss:?}");
    assert!(loss.cause.as_ref().unwrap().contested, "{loss:?}");
    let wait = findings_of(&answer.findings, "wait_at_barrier")[0];
    assert!(wait.reason.text.contains("by these clocks another may have"), "{}", wait.reason.text);
    let sure = self::answer(&synchronised(&[0, 100, 400]));
    assert!(sure.losses.iter().all(|loss| loss.cause.as_ref().is_none_or(|cause| !cause.contested)));
}

#[test]
fn stamps_of_any_size_are_summed() {
    let mut script = Script::processes(3);
    let end = 1 << 63;
    for (location, late) in [0, 1 << 40, 1 << 62].into_iter().enumerate() {
        script.enter(location, 0, "main").barrier(location, late, end).leave(location, end, "main");
    }
    let answer = answer(&script);
    let root = answer.time_tree.first().unwrap().inclusive;
    assert!(root >= 9e15, "{root}");
    assert!(answer.losses.iter().all(|loss| loss.share <= 1.0), "{:?}", answer.losses);
}

#[test]
fn rules_have_distinct_names_and_full_texts() {
    let mut ids: Vec<&str> = all().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all().count());
    assert!(RULES.iter().all(|entry| entry.rule.id.starts_with("trace-")));
    for rule in all() {
        assert!(rule.title.len() > 10, "{}", rule.id);
        for text in [rule.meaning, rule.computation, rule.example, rule.advice] {
            assert!(text.len() > 20, "{}: {text:?} says too little", rule.id);
        }
    }
}

/// The recording of rank 2 ends at 100: that it computes less than the others there is not known.
#[test]
fn a_cut_recording_comes_first_and_promises_no_balance() {
    let mut script = Script::processes(3);
    for (rank, until) in [(0, 900), (1, 800), (2, 100)] {
        script.enter(rank, 0, "main").call(rank, 0, until, "compute");
        if rank < 2 {
            script.barrier(rank, until, 900).leave(rank, 1000, "main");
        }
    }
    let mut trace = script.trace();
    let rules = |trace| {
        let answer = analyze(trace, &Options::usual("a trace"), &Sequential).unwrap();
        let rules: Vec<_> = answer.findings.iter().map(|it| it.rule.id.to_string()).collect();
        (rules, answer.focus.efficiency.unwrap())
    };
    assert!(rules(script.trace()).0.contains(&"trace-imbalance".to_owned()));
    trace.incomplete = vec![lotse_model::id::LocationId(2)];
    let (found, efficiency) = rules(trace);
    assert_eq!(found[0], "trace-incomplete");
    assert!(!found.contains(&"trace-imbalance".to_owned()), "{found:?}");
    assert_eq!((efficiency.bound, efficiency.load_balance), (Some(Bound::Lower), None));
}

/// Rank 0 is late twice, so that both waits promise the same time in part.
#[test]
fn gains_that_do_not_add_up_are_said_to_once() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 750, "compute").send(0, 750, 760, 1, 0);
    script.call(0, 760, 1300, "compute").barrier(0, 1300, 1310).leave(0, 1400, "main");
    script.enter(1, 0, "main").call(1, 0, 500, "compute").recv(1, 500, 770, 0, 0);
    script.call(1, 770, 1000, "compute").barrier(1, 1000, 1310).leave(1, 1400, "main");
    let findings = found(&script);
    let gains = findings.iter().filter(|it| it.reason.data.contains_key("gain")).count();
    let said = |it: &&Finding| it.reason.text.contains("do not add up");
    assert!(gains > 1, "{findings:#?}");
    assert_eq!(findings.iter().filter(said).count(), 1, "{findings:#?}");
    let late = found(&late());
    assert_eq!(
        late.iter().filter(|it| it.reason.data.contains_key("gain")).count() > 1,
        late.iter().any(|it| said(&it))
    );
}
