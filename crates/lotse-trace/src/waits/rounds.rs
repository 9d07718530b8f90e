//! Matches calls that all processes make together but that have no record of it, such as MPI_Init: the n-th call of a name
//! at each process.
//!
//! If the processes make different numbers of calls, it is unknown which belong together, and they are not matched.

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::work;

use super::Arrival;
use crate::patterns;
use crate::store::{CallRef, Trace};

/// By call: the last arrival among the calls that were matched by counting.
#[derive(Debug, Default)]
pub struct Rounds(HashMap<CallRef, Arrival>);

impl Rounds {
    /// The last arrival at the operation that a call belongs to.
    pub fn last(&self, call: CallRef) -> Option<Arrival> {
        self.0.get(&call).copied()
    }
}

/// By location: the threads of its process if it is the first of them, else empty.
pub(super) fn led(trace: &Trace) -> Vec<Vec<LocationId>> {
    let mut led = vec![Vec::new(); trace.timelines.len()];
    let mut first: HashMap<ProcessId, LocationId> = HashMap::new();
    for location in trace.locations().filter(|&it| trace.is_thread(it)) {
        let leader = *first.entry(trace.location(location).process).or_insert(location);
        led[leader.index()].push(location);
    }
    led
}

/// The calls of one process by name, in the order of time.
type CallsByName<'a> = HashMap<&'a str, Vec<CallRef>>;

/// Matches the calls of all regions for which patterns want it.
pub(super) fn pair(trace: &Trace, led: &[Vec<LocationId>], workers: &dyn Workers) -> Rounds {
    let regions: Vec<bool> = trace.classes.iter().map(patterns::meets).collect();
    let wanted: Vec<bool> = trace.paths.ids().map(|path| regions[trace.paths.region(path).index()]).collect();
    if !wanted.contains(&true) {
        return Rounds::default();
    }
    let by_process = work::map(workers, led.len(), |at| calls_by_name(trace, &led[at], &wanted));
    let mut by_name: HashMap<&str, Vec<Vec<CallRef>>> = HashMap::new();
    for (name, calls) in by_process.into_iter().flatten() {
        by_name.entry(name).or_default().push(calls);
    }
    let mut rounds = Rounds::default();
    for processes in by_name.into_values() {
        if processes.iter().all(|calls| calls.len() == processes[0].len()) {
            add_rounds(trace, &processes, &mut rounds);
        }
    }
    rounds
}

fn calls_by_name<'a>(trace: &'a Trace, threads: &[LocationId], wanted: &[bool]) -> CallsByName<'a> {
    let mut by_process = CallsByName::new();
    for &location in threads {
        let timeline = trace.timeline(location);
        for call in 0..timeline.calls.len() as u32 {
            let path = timeline.call_path(call);
            if wanted[path.index()] {
                let name = trace.classes[trace.paths.region(path).index()].name.as_str();
                by_process.entry(name).or_default().push(CallRef { location, call });
            }
        }
    }
    if threads.len() > 1 {
        by_process.values_mut().for_each(|calls| calls.sort_by_key(|&call| (trace.enter(call), call)));
    }
    by_process
}

fn add_rounds(trace: &Trace, processes: &[Vec<CallRef>], rounds: &mut Rounds) {
    for round in 0..processes[0].len() {
        let arrival = |call: CallRef| Arrival { at: trace.enter(call), location: call.location };
        let members = || processes.iter().map(|calls| calls[round]);
        if let Some(last) = members().map(arrival).max() {
            rounds.0.extend(members().map(|call| (call, last)));
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;
    use lotse_model::work::Sequential;

    use super::{Arrival, led, pair};
    use crate::fixture::Script;
    use crate::store::CallRef;

    fn last(script: &Script, location: u32, call: u32) -> Option<Arrival> {
        let trace = script.trace();
        let rounds = pair(&trace, &led(&trace), &Sequential);
        rounds.last(CallRef { location: LocationId(location), call })
    }

    #[test]
    fn the_nth_calls_of_a_name_match() {
        let mut script = Script::processes(2);
        script.call(0, 0, 9, "MPI_Init").call(0, 10, 20, "MPI_Comm_dup").call(0, 30, 40, "MPI_Comm_dup");
        script.call(1, 5, 9, "mpi_init_").call(1, 15, 20, "mpi_comm_dup_").call(1, 29, 40, "mpi_comm_dup_");
        assert_eq!(last(&script, 0, 0), Some(Arrival { at: 5, location: LocationId(1) }));
        assert_eq!(last(&script, 1, 1), Some(Arrival { at: 15, location: LocationId(1) }));
        assert_eq!(last(&script, 1, 2), Some(Arrival { at: 30, location: LocationId(0) }));
    }

    #[test]
    fn unequal_numbers_of_calls_do_not_match() {
        let mut script = Script::processes(2);
        script.call(0, 10, 20, "MPI_Comm_dup").call(0, 30, 40, "MPI_Comm_dup");
        script.call(1, 15, 20, "MPI_Comm_dup");
        assert_eq!(last(&script, 1, 0), None);
    }

    #[test]
    fn the_first_thread_leads_its_process() {
        let trace = Script::threads(3).trace();
        let threads: Vec<LocationId> = (0..3).map(LocationId).collect();
        assert_eq!(led(&trace), [threads, Vec::new(), Vec::new()]);
    }
}
