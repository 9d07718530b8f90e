//! Values computed by hand.

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, LocationKind, Paradigm, ProcessKind, RegionRole};
use lotse_model::work::Sequential;

use crate::analyze::{Request, Subject, what_if};
use crate::critical::critical_path;
use crate::delay::delays;
use crate::fixture::{Script, WORLD};
use crate::patterns::{cube_rows, search_waits};
use crate::store::Trace;

/// A thread and `count` streams of a context that the thread's process created.
fn with_streams(count: u32) -> Script {
    let mut script = Script::hybrid(&[1, count]);
    script.definitions.processes[1].kind = ProcessKind::Accelerator { creator: Some(ProcessId(0)) };
    for stream in &mut script.definitions.locations[1..] {
        stream.kind = LocationKind::Accelerator;
    }
    script.define("hipLaunchKernel", RegionRole::Wrapper, Paradigm::Accelerator);
    script
}

/// The thread launches from 100 to 120, computes until 400 and waits until 1010; the kernel runs from 130 to 1000.
fn one_kernel() -> Script {
    let mut script = with_streams(1);
    script.enter(0, 0, "main").call(0, 100, 120, "hipLaunchKernel").call(0, 120, 400, "prepare");
    script.call(0, 400, 1010, "hipEventSynchronize").leave(0, 1100, "main");
    script.call(1, 130, 1000, "heavy_kernel");
    script
}

fn subject(trace: Trace) -> Subject {
    let options =
        crate::analyze::Options { clock: crate::analyze::Clocks::Raw, ..crate::analyze::Options::usual("t") };
    Subject::new(trace, &options, &Sequential).unwrap()
}

/// The run time in milliseconds after a change of one call path.
fn scaled(script: &Script, path: &str, factor: f64) -> f64 {
    let request = Request { scaled: vec![(path.to_owned(), factor)], ..Request::default() };
    (what_if(&subject(script.trace()), &request).unwrap().predicted * 1e3).round()
}

#[test]
fn a_thread_waits_while_the_kernel_runs() {
    let waited = ("accelerator_wait", 0, "main/hipEventSynchronize".to_owned(), 600);
    assert_eq!(cube_rows(&one_kernel()), [waited]);
}

#[test]
fn the_kernel_is_to_blame_and_on_the_critical_path() {
    let trace = one_kernel().trace();
    let waits = search_waits(&trace);
    let delays = delays(&trace, &waits, &Sequential);
    let costs: Vec<_> =
        delays.costs.iter().map(|it| (trace.path_name(it.path), it.location.0, it.short)).collect();
    assert_eq!(costs, [("heavy_kernel".to_owned(), 1, 600.0)]);
    let path = critical_path(&trace, &waits);
    let mut rows: Vec<_> =
        path.rows.iter().map(|it| (trace.path_name(it.path), it.location.0, it.ticks)).collect();
    rows.sort();
    // The stream begins 10 after the call that launches has ended.
    let expected = [
        (String::new(), 1, 10),
        ("heavy_kernel".to_owned(), 1, 870),
        ("main".to_owned(), 0, 190),
        ("main/hipEventSynchronize".to_owned(), 0, 10),
        ("main/hipLaunchKernel".to_owned(), 0, 20),
    ];
    assert_eq!((path.length, rows.as_slice()), (1100, expected.as_slice()));
    assert!(path.imbalance.iter().all(|row| trace.path_name(row.path) != "heavy_kernel"));
}

#[test]
fn a_changed_run_knows_launch_kernel_and_wait() {
    let script = one_kernel();
    // Without the kernel the thread comes to its wait at 400, and does not wait: 10 of the call and 90 of main remain.
    assert_eq!(scaled(&script, "heavy_kernel", 0.0), 500.0);
    assert_eq!(scaled(&script, "heavy_kernel", 0.5), 665.0);
    assert_eq!(scaled(&script, "heavy_kernel", 2.0), 1970.0);
    // The wait is the kernel's time: without the call only its own 10 go.
    assert_eq!(scaled(&script, "hipEventSynchronize", 0.0), 1090.0);
    // An earlier launch lets the kernel begin earlier; what the thread prepares meanwhile bounds nothing.
    assert_eq!(scaled(&script, "hipLaunchKernel", 0.0), 1080.0);
    assert_eq!(scaled(&script, "prepare", 0.0), 1100.0);
}

/// Two kernels are launched at once: the second runs when the first is over.
#[test]
fn kernels_in_a_queue_follow_each_other() {
    let mut script = with_streams(1);
    script.enter(0, 0, "main").call(0, 0, 10, "hipLaunchKernel").call(0, 10, 20, "hipLaunchKernel");
    script.call(0, 20, 420, "cudaDeviceSynchronize").leave(0, 500, "main");
    script.call(1, 10, 210, "first").call(1, 210, 410, "second");
    assert_eq!(cube_rows(&script), [("accelerator_wait", 0, "main/cudaDeviceSynchronize".to_owned(), 390)]);
    // The second cannot begin before its launch is over at 20: 200 of it, 10 of the call, 80 of main.
    assert_eq!(scaled(&script, "first", 0.0), 310.0);
    assert_eq!(scaled(&script, "second", 0.0), 300.0);
    assert_eq!(scaled(&script, "main", 0.0), 420.0);
}

#[test]
fn of_several_streams_the_one_that_ends_last_is_waited_for() {
    let mut script = with_streams(2);
    script.enter(0, 0, "main").call(0, 0, 10, "hipLaunchKernel");
    script.call(0, 100, 510, "cudaStreamSynchronize").leave(0, 600, "main");
    script.call(1, 10, 500, "needed").call(2, 10, 900, "goes on");
    let waited = ("accelerator_wait_several", 0, "main/cudaStreamSynchronize".to_owned(), 400);
    assert_eq!(cube_rows(&script), [waited]);
}

#[test]
fn without_recorded_streams_the_call_is_an_upper_bound_without_a_cause() {
    let mut script = Script::processes(1);
    script.enter(0, 0, "main").call(0, 100, 400, "cudaDeviceSynchronize").leave(0, 500, "main");
    let waited = ("accelerator_wait_unexplained", 0, "main/cudaDeviceSynchronize".to_owned(), 300);
    assert_eq!(cube_rows(&script), [waited]);
    assert!(search_waits(&script.trace()).by_location[0].iter().all(|wait| wait.cause.is_none()));
}

#[test]
fn a_call_during_which_nothing_ends_does_not_wait() {
    let mut script = with_streams(1);
    script.enter(0, 0, "main").call(0, 0, 10, "hipLaunchKernel").call(0, 50, 60, "hipEventSynchronize");
    script.call(0, 500, 600, "hipStreamSynchronize").leave(0, 700, "main");
    script.call(1, 10, 400, "kernel");
    assert_eq!(cube_rows(&script), []);
}

#[test]
fn clocks_of_accelerators_are_not_exact() {
    let mut script = with_streams(1);
    script.enter(0, 0, "main").call(0, 0, 10, "hipLaunchKernel");
    script.call(0, 100, 600, "hipDeviceSynchronize").leave(0, 700, "main");
    script.call(1, 10, 603, "kernel");
    assert_eq!(cube_rows(&script), [("accelerator_wait", 0, "main/hipDeviceSynchronize".to_owned(), 500)]);
}

#[test]
fn a_copy_that_blocks_waits_for_the_kernel_before_it() {
    let mut script = with_streams(1);
    script.enter(0, 0, "main").call(0, 0, 10, "hipLaunchKernel").call(0, 100, 520, "hipMemcpy");
    script.call(0, 600, 650, "hipMemcpyAsync").leave(0, 700, "main");
    script.call(1, 10, 500, "kernel").call(1, 605, 610, "next");
    let waits = cube_rows(&script);
    assert_eq!(waits[0], ("accelerator_memory_wait", 0, "main/hipMemcpy".to_owned(), 400));
}

/// A message that leads from the call that launches something on a stream to what it launches.
fn launched(script: &mut Script, call: ((u64, u64), &str), stream: usize, work: ((u64, u64), &str)) {
    let (communicator, tag, length) = (WORLD, work.0.0 as u32, 0);
    script.definitions.communicators[communicator.index()].members =
        (0..3).map(|it| Some(LocationId(it))).collect();
    let send = Event::MpiSend { receiver: stream as u32, communicator, tag, length };
    let receive = Event::MpiRecv { sender: 0, communicator, tag, length };
    script.with_record(0, call.0, call.1, call.0.0, (EventKind::MpiSend, send));
    script.with_record(stream, work.0, work.1, work.0.0, (EventKind::MpiRecv, receive));
}

/// The first stream runs a kernel until 500. The second is free from 20 on, has work from 100 on, and begins at 480.
fn held_up() -> Script {
    let mut script = with_streams(2);
    script.enter(0, 0, "main");
    launched(&mut script, ((0, 5), "hipLaunchKernel"), 1, ((10, 475), "kernel"));
    launched(&mut script, ((5, 10), "hipLaunchKernel"), 2, ((10, 20), "early"));
    launched(&mut script, ((90, 100), "hipLaunchKernel"), 2, ((480, 500), "short"));
    launched(&mut script, ((100, 520), "cudaMemcpyAsync"), 2, ((505, 515), "copy"));
    script.leave(0, 700, "main");
    script
}

#[test]
fn a_copy_waits_for_its_own_work_and_what_held_that_up_is_not_known() {
    let script = held_up();
    assert_eq!(cube_rows(&script), [("accelerator_memory_wait", 0, "main/cudaMemcpyAsync".to_owned(), 415)]);
    assert_eq!(scaled(&script, "kernel", 0.0), 700.0, "nothing is promised");
    assert_eq!(scaled(&script, "copy", 0.0), 690.0);
}

/// Of 415 the stream is idle for 385 and runs the two for 20 and 10.
#[test]
fn a_short_kernel_is_not_to_blame_for_what_held_it_up() {
    let trace = held_up().trace();
    let delays = delays(&trace, &search_waits(&trace), &Sequential);
    let mut costs: Vec<_> = delays.costs.iter().map(|it| (trace.path_name(it.path), it.short)).collect();
    costs.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("", 385.0), ("copy", 10.0), ("short", 20.0)];
    assert_eq!(costs, expected.map(|(path, ticks)| (path.to_owned(), ticks)));
}
