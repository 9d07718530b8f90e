//! Two small runs that differ in one call, worked out by hand.

use lotse_model::work::Sequential;

use super::{DiffAnswer, Pair, RunSums, diff};
use crate::analyze::{Clocks, Options, Subject};
use crate::fixture::Script;

/// Rank 1 receives a message that rank 0 sends after `work` ms, and computes for 100 ms; `ranks` more ranks only compute.
fn sums(name: &str, work: u64, ranks: u32) -> RunSums {
    let mut script = Script::processes(2 + ranks);
    let end = work + 110;
    script.enter(0, 0, "main").call(0, 0, work, "work").send(0, work, work + 5, 1, 0).leave(0, end, "main");
    script.enter(1, 0, "main").recv(1, 0, work + 10, 0, 0).call(1, work + 10, end, "finish");
    script.leave(1, end, "main");
    for rank in 0..ranks as usize {
        script.enter(2 + rank, 0, "main").leave(2 + rank, end, "main");
    }
    let options = Options { clock: Clocks::Raw, ..Options::usual(name) };
    RunSums::new(name, &Subject::new(script.trace(), &options, &Sequential).unwrap())
}

fn near(pair: Pair, before: f64, after: f64) {
    let (old, new) = (pair.before.unwrap_or(f64::NAN), pair.after.unwrap_or(f64::NAN));
    assert!((old - before).abs() < 1e-9 && (new - after).abs() < 1e-9, "{pair:?}");
    assert!((pair.change - (after - before)).abs() < 1e-9, "{pair:?}");
}

fn compared(ranks: u32) -> DiffAnswer {
    diff(&sums("slow", 700, 0), &sums("fast", 300, ranks))
}

#[test]
fn the_changed_call_comes_first_and_so_does_its_wait() {
    let answer = compared(0);
    assert_eq!((answer.before.runtime, answer.after.runtime), (0.81, 0.41));
    let work = answer.callpaths.iter().find(|row| row.callpath == "main/work").unwrap();
    near(work.seconds, 0.7, 0.3);
    near(work.mean, 0.35, 0.15);
    near(work.critical, 0.7, 0.3);
    near(work.visits, 1.0, 1.0);
    assert_eq!(work.processes.len(), 1);
    assert_eq!(work.processes[0].process, "rank 0");
    let first: Vec<&str> = answer.callpaths[..2].iter().map(|row| row.callpath.as_str()).collect();
    assert!(first.contains(&"main/work") && first.contains(&"main/MPI_Recv"), "{first:?}");
    let wait = &answer.waits[0];
    assert_eq!((wait.metric, wait.callpath.as_str()), ("late_sender", "main/MPI_Recv"));
    near(wait.seconds, 0.7, 0.3);
    let receiver = answer.processes.iter().find(|row| row.process == "rank 1").unwrap();
    near(receiver.waiting, 0.7, 0.3);
    near(receiver.computing, 0.1, 0.1);
}

#[test]
fn runs_of_different_sizes_are_compared_by_their_means() {
    let answer = compared(2);
    assert_eq!((answer.before.locations, answer.after.locations), (2, 4));
    let work = answer.callpaths.iter().find(|row| row.callpath == "main/work").unwrap();
    near(work.mean, 0.35, 0.075);
    let new = answer.processes.iter().find(|row| row.process == "rank 3").unwrap();
    assert_eq!(new.computing.before, None);
    assert!((new.computing.change - 0.41).abs() < 1e-9);
}

#[test]
fn a_run_and_itself_differ_in_nothing() {
    let one = sums("one", 700, 1);
    let answer = diff(&one, &one);
    assert!(answer.callpaths.iter().all(|row| row.mean.change == 0.0 && row.critical.change == 0.0));
    assert!(answer.waits.iter().all(|row| row.seconds.change == 0.0));
    assert!(answer.processes.iter().all(|row| row.waiting.change == 0.0));
}

/// Rank 0 asks five times for a message, sleeps for 100 after each of four, and for 30 when it has the message.
#[test]
fn sleep_while_waiting_for_a_message_is_waiting_only() {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").enter(1, 0, "main");
    for at in (0..4).map(|test| test * 110) {
        script.call(0, at, at + 10, "MPI_Iprobe").call(0, at + 10, at + 110, "usleep");
    }
    script.call(0, 440, 450, "MPI_Iprobe").recv(0, 450, 455, 1, 0).call(0, 455, 485, "usleep");
    script.call(1, 0, 440, "slow").send(1, 440, 445, 0, 0);
    script.leave(0, 500, "main").leave(1, 500, "main");
    let options = Options { clock: Clocks::Raw, ..Options::usual("polling") };
    let sums = RunSums::new("polling", &Subject::new(script.trace(), &options, &Sequential).unwrap());
    let answer = diff(&sums, &sums);
    let polling = answer.processes.iter().find(|row| row.process == "rank 0").unwrap();
    near(polling.sleeping.unwrap(), 0.03, 0.03);
    near(polling.waiting, 0.44, 0.44);
}
