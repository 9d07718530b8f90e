//! Detection of shared work, and its length when it is shared.

use lotse_model::id::LocationId;
use lotse_model::rule::Thresholds;
use lotse_model::trace::{Event, EventKind, LockKind};
use lotse_model::work::Sequential;

use crate::fixture::Script;
use crate::retime::{Change, Graph};
use crate::store::Trace;
use crate::waits::search;

/// A job: the thread, and when it requests, acquires and releases the lock.
type Piece = (usize, u64, u64, u64);

/// One thread does four jobs of 100 each; another requests the lock at 0 and gets it last.
const STARVED: [Piece; 5] =
    [(0, 0, 0, 100), (0, 100, 100, 200), (0, 200, 200, 300), (0, 300, 300, 400), (1, 0, 400, 500)];

fn script(pieces: &[Piece]) -> Script {
    let mut script = Script::threads(2);
    add(&mut script, pieces, None);
    script
}

/// Adds jobs. Each thread enters a barrier in the job that requests the lock at this time, or at the end.
fn add(script: &mut Script, pieces: &[Piece], barriers: Option<[u64; 2]>) {
    let (kind, lock) = (LockKind::Mutex, 1);
    (0..2).for_each(|thread| _ = script.enter(thread, 0, "thread"));
    for (order, &(thread, requested, acquired, released)) in (1..).zip(pieces) {
        let acquire = (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
        let release = (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
        script.enter(thread, requested, "job");
        script.with_record(thread, (requested, acquired), "pthread_mutex_lock", acquired, acquire);
        if barriers.is_some_and(|at| at[thread] == requested) {
            script.barrier(thread, released, released);
        }
        script.with_record(thread, (released, released), "pthread_mutex_unlock", released, release);
        script.leave(thread, released, "job");
    }
    for thread in 0..2 {
        let last = pieces.iter().filter(|piece| piece.0 == thread).map(|piece| piece.3).max().unwrap_or(0);
        let end = barriers.filter(|at| at[thread] > last).map_or(last, |at| at[thread]);
        if end > last {
            script.barrier(thread, end, end);
        }
        script.leave(thread, end, "thread");
    }
}

fn opened(script: &Script) -> (Trace, Graph) {
    let trace = script.trace();
    let waits = search(&trace, &Thresholds::default(), &Sequential);
    let graph = Graph::new(&trace, &waits);
    (trace, graph)
}

#[test]
fn a_thread_that_waited_for_the_lock_takes_its_part_of_the_work() {
    let (trace, graph) = opened(&script(&STARVED));
    let shared = graph.shared_work();
    assert_eq!(shared[0].pieces, [(LocationId(0), 4), (LocationId(1), 1)]);
    assert_eq!(trace.path_name(shared[0].path), "thread/job");
    let outside = graph.outside_lock(&trace, &trace.paths_named("job"));
    let changes = [Change::none(), outside];
    let length = |graph: &Graph| graph.run(&trace, &changes).iter().map(|it| it.length).collect::<Vec<_>>();
    // Five jobs of 100 on two threads: three and two.
    assert_eq!(length(&graph), [500, 300]);
    assert_eq!(length(&graph.without_sharing()), [500, 400]);
}

#[test]
fn threads_with_about_as_much_work_keep_it() {
    let even = [(0, 0, 0, 100), (1, 0, 100, 200), (0, 100, 200, 300), (1, 200, 300, 400), (0, 300, 400, 500)];
    assert_eq!(opened(&script(&even)).1.shared_work(), []);
}

#[test]
fn a_thread_that_had_less_to_do_and_did_not_wait_keeps_it() {
    let early =
        [(1, 0, 0, 100), (0, 100, 100, 200), (0, 200, 200, 300), (0, 300, 300, 400), (0, 400, 400, 500)];
    assert_eq!(opened(&script(&early)).1.shared_work(), []);
}

#[test]
fn work_is_not_shared_across_a_barrier() {
    let with_barriers = |before| {
        let mut script = Script::threads(2);
        add(&mut script, &STARVED, before);
        opened(&script).1.shared_work().len()
    };
    // First a barrier within jobs, then one after all jobs.
    assert_eq!(
        (with_barriers(Some([300, 0])), with_barriers(Some([600, 600])), with_barriers(None)),
        (0, 1, 1)
    );
}
