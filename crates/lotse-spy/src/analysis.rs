//! Computes the protocol of one instance from its accesses in the order of time.

use std::sync::Arc;

use crate::access::{Access, AccessRun};
use crate::container::AccessKind;
use crate::instance::{CodeId, Instance};
use crate::observe::growth::Growth;
use crate::phases::{Detectors, Pattern};
use crate::picture::Drawing;
use crate::protocol::Protocol;
use crate::settings::Settings;

/// Runs that are buffered before detectors are created for an instance: most instances never have more.
const EARLY: usize = 8;

/// Computes the protocol of one instance. Different instances can be analysed in parallel.
#[derive(Debug)]
pub struct InstanceAnalysis {
    settings: Arc<Settings>,
    instance: Instance,
    growth: Growth,
    /// The last run, which the next access may continue.
    pending: Option<AccessRun>,
    early: Vec<AccessRun>,
    observer: Option<Box<InstanceObserver>>,
    drawing: Option<Drawing>,
}

impl InstanceAnalysis {
    /// An instance without accesses.
    #[must_use]
    pub fn new(instance: Instance, settings: &Arc<Settings>) -> Self {
        let (settings, growth) = (Arc::clone(settings), Growth::default());
        Self { settings, instance, growth, pending: None, early: Vec::new(), observer: None, drawing: None }
    }

    /// The same, and a picture of the history is drawn during the analysis.
    pub(crate) fn with_drawing(instance: Instance, settings: &Arc<Settings>) -> Self {
        Self { drawing: Some(Drawing::new()), ..Self::new(instance, settings) }
    }

    /// The picture so far.
    pub(crate) fn drawing(&mut self) -> Option<&mut Drawing> {
        self.drawing.as_mut()
    }

    /// Memory of the picture in bytes.
    pub(crate) fn drawing_bytes(&self) -> usize {
        self.drawing.as_ref().map_or(0, Drawing::bytes)
    }

    /// Adds one access.
    pub fn add_access(&mut self, access: Access) {
        self.add_single(AccessRun::single(access));
    }

    /// Adds a run of one access, joined to the previous run where it continues that.
    fn add_single(&mut self, single: AccessRun) {
        let gap = self.settings.thresholds.gap as u64;
        let joined = |run: &mut AccessRun| run.extend(&single.first, single.at_once, gap);
        if self.pending.as_mut().is_some_and(joined) {
            return;
        }
        if let Some(run) = self.pending.replace(single) {
            self.consume(&run);
        }
    }

    /// Adds a run of accesses. A run without accesses is ignored.
    pub fn add_run(&mut self, run: AccessRun) {
        if run.count == 1 {
            return self.add_single(run);
        }
        self.flush();
        if run.count > 0 {
            self.consume(&run);
        }
    }

    /// Records that the memory grew; capacities are in elements, and the call site is the one that caused it.
    pub fn grown(&mut self, old_capacity: u64, new_capacity: u64, code: CodeId) {
        self.growth.grown(old_capacity, new_capacity, code);
    }

    /// The protocol, after the instance was dropped or the recording ended.
    #[must_use]
    pub fn finish(self) -> Protocol {
        self.finish_with_drawing().0
    }

    /// The same, with the drawing.
    pub(crate) fn finish_with_drawing(mut self) -> (Protocol, Option<Drawing>) {
        self.flush();
        let observer = self.observer.take().unwrap_or_else(|| self.new_observer());
        (Protocol { growth: self.growth, ..observer.finish() }, self.drawing)
    }

    fn flush(&mut self) {
        if let Some(run) = self.pending.take() {
            self.consume(&run);
        }
    }

    fn consume(&mut self, run: &AccessRun) {
        if let Some(drawing) = &mut self.drawing {
            drawing.add_run(run);
        }
        match &mut self.observer {
            Some(observer) => observer.consume(run),
            None if self.early.len() < EARLY => self.early.push(*run),
            None => {
                let mut observer = self.new_observer();
                observer.consume(run);
                self.observer = Some(observer);
            }
        }
    }

    /// An observer that has consumed the buffered runs.
    fn new_observer(&mut self) -> Box<InstanceObserver> {
        let mut observer = Box::new(InstanceObserver::new(self.instance, &self.settings));
        std::mem::take(&mut self.early).iter().for_each(|run| observer.consume(run));
        observer
    }
}

/// The phase detectors and counters of one instance.
#[derive(Debug)]
struct InstanceObserver {
    settings: Arc<Settings>,
    detectors: Detectors,
    protocol: Protocol,
}

impl InstanceObserver {
    fn new(instance: Instance, settings: &Arc<Settings>) -> Self {
        let detectors = Detectors::new(&settings.thresholds);
        Self { settings: Arc::clone(settings), detectors, protocol: Protocol::new(instance) }
    }

    fn finish(mut self) -> Protocol {
        let (protocol, settings) = (&mut self.protocol, &self.settings);
        self.detectors.finish(&mut |phase| protocol.add_phase(phase, settings));
        self.protocol.unread.finish();
        for list in &mut self.protocol.phases {
            list.shrink(self.settings.limits.phases);
        }
        self.protocol
    }

    fn consume(&mut self, run: &AccessRun) {
        let number = self.protocol.events;
        if run.first.kind == AccessKind::Sort {
            self.note_sort(number);
        }
        let (protocol, settings) = (&mut self.protocol, &self.settings);
        self.detectors.add_run(run, number, &mut |phase| protocol.add_phase(phase, settings));
        self.observe(run);
    }

    fn observe(&mut self, run: &AccessRun) {
        let protocol = &mut self.protocol;
        protocol.events += run.count;
        protocol.time = (protocol.time.0.min(run.first.time), protocol.time.1.max(run.last_time));
        let longest =
            [run.first.length, run.first.length_after(), run.last().length, run.last().length_after()];
        protocol.max_length = longest.into_iter().fold(protocol.max_length, u64::max);
        protocol.counts.add_run(&protocol.instance, run);
        protocol.ends.add_run(run);
        protocol.unread.add_run(run);
        let is_map = protocol.instance.container.is_search_structure();
        protocol.after_search.add_run(run, is_map);
        protocol.sorted_searches.add_run(run);
        protocol.loops.add_run(run);
    }

    /// Counts the insert phase that the sort with this event number directly follows, if that phase is long.
    fn note_sort(&mut self, number: u64) {
        let open = [Pattern::InsertFront, Pattern::InsertBack]
            .map(|pattern| self.detectors.open_before(pattern, number));
        let longest = open.into_iter().flatten().max_by_key(|phase| phase.events);
        let least = self.settings.thresholds.sort_after_insert_events;
        if let Some(phase) = longest.filter(|phase| phase.events as f64 >= least) {
            self.protocol.sorted_inserts.add(&phase);
        }
    }
}
