//! Gathers what a trace contains.

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::{LocationKind, Ticks};
use lotse_model::work::Sequential;

use super::{Facts, InfoAnswer, LocationAnswer, RepairAnswer};
use crate::clock;
use crate::store::{Kinds, Trace};
use crate::unrecorded::{Hidden, left_out};

impl Facts {
    /// The facts of a trace whose clocks are as recorded.
    pub fn from_trace(trace: &Trace) -> Self {
        Self::new(trace, clock::violations(trace, &Sequential).messages)
    }

    /// The facts of a trace in which `clock_violations` messages arrived before they were sent, by its recorded clocks.
    pub fn new(trace: &Trace, clock_violations: u64) -> Self {
        let kinds = kinds(trace);
        let (unrecorded, gaps) = left_out(trace);
        let facts = Self {
            format: trace.format_id.to_owned(),
            events: kinds.total(),
            locations: trace.timelines.len(),
            threads: trace.cpu_locations().count(),
            accelerator_streams: trace
                .accelerators()
                .streams
                .iter()
                .filter(|it| !it.activities.is_empty())
                .count(),
            location_labels: trace.location_labels(),
            location_names: trace.definitions.locations.iter().map(|it| it.name.clone()).collect(),
            location_ids: trace.definitions.locations.iter().map(|it| it.number).collect(),
            messages: trace.links.messages,
            unmatched_sends: trace.links.unmatched_sends,
            unmatched_recvs: trace.links.unmatched_recvs,
            collectives: trace.links.collectives.len(),
            clock_violations,
            runtime: trace.seconds(trace.runtime()),
            first_tick: trace.first_tick(),
            last_tick: trace.last_tick(),
            timer_resolution: trace.definitions.clock.resolution,
            max_depth: trace.max_depth,
            event_kinds: kinds.seen().map(|(kind, count)| (kind.name(), count)).collect(),
            visits: visits(trace),
            repairs: trace.repairs.iter().map(RepairAnswer::from).collect(),
            unrecorded,
            gaps,
            hidden: Hidden::Nothing,
            incomplete_locations: trace.incomplete.iter().map(|it| it.0).collect(),
        };
        Self { hidden: facts.what_is_hidden(), ..facts }
    }
}

fn kinds(trace: &Trace) -> Kinds {
    let mut all = Kinds::default();
    trace.timelines.iter().for_each(|timeline| all.add(&timeline.kinds));
    all
}

fn visits(trace: &Trace) -> BTreeMap<String, u64> {
    let mut visits = BTreeMap::new();
    for used in trace.uses.iter().flatten().filter(|used| used.visits > 0) {
        let name = trace.region_name(trace.paths.region(used.path));
        match visits.get_mut(name) {
            Some(count) => *count += used.visits,
            None => {
                visits.insert(name.to_owned(), used.visits);
            }
        }
    }
    visits
}

pub(super) fn info(trace: &Trace) -> InfoAnswer {
    let (definitions, first_tick) = (&trace.definitions, trace.first_tick());
    let mut processes: Vec<_> = definitions.locations.iter().map(|it| it.process).collect();
    processes.sort_unstable();
    processes.dedup();
    let machine = |it: &lotse_model::trace::Machine| format!("{} {}", it.class, it.name).trim().to_owned();
    InfoAnswer {
        schema: "lotse.trace.info/1",
        facts: Facts::from_trace(trace),
        processes: processes.len(),
        machines: definitions.machines.iter().map(machine).collect(),
        call_paths: trace.paths.len() - 1 - usize::from(trace.start_up().is_some()),
        location_rows: trace.locations().map(|it| location_row(trace, it, first_tick)).collect(),
        properties: definitions.properties.iter().cloned().collect(),
    }
}

fn location_row(trace: &Trace, location: LocationId, first_tick: Ticks) -> LocationAnswer {
    let about = trace.location(location);
    let timeline = trace.timeline(location);
    let since = |tick: u64| trace.seconds(tick.saturating_sub(first_tick));
    LocationAnswer {
        name: about.name.clone(),
        process: trace
            .definitions
            .processes
            .get(about.process.index())
            .map_or_else(String::new, |process| process.name.clone()),
        kind: kind_name(about.kind),
        events: timeline.kinds.total(),
        begin: since(timeline.first),
        end: since(timeline.last),
    }
}

fn kind_name(kind: LocationKind) -> &'static str {
    match kind {
        LocationKind::Cpu => "cpu",
        LocationKind::Accelerator => "accelerator",
        LocationKind::Metric => "metric",
        LocationKind::Annotation => "annotation",
        LocationKind::Unknown => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::Facts;
    use crate::fixture::Script;

    #[test]
    fn a_message_that_arrives_before_it_is_sent_violates_the_clocks() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").send(0, 900, 910, 1, 0).send(0, 920, 930, 1, 0).leave(0, 2000, "main");
        script.enter(1, 0, "main").recv(1, 500, 770, 0, 0).recv(1, 800, 920, 0, 0).leave(1, 2000, "main");
        let facts = Facts::from_trace(&script.trace());
        assert_eq!((facts.messages, facts.clock_violations), (2, 1));
        assert_eq!((facts.events, facts.runtime, facts.max_depth), (16, 2.0, 2));
        assert_eq!(facts.visits["MPI_Recv"], 2);
        assert_eq!(facts.event_kinds["MpiSend"], 2);
    }
}
