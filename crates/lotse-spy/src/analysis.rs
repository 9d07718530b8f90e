//! From the accesses of one instance, in the order of time, to its protocol.

use std::sync::Arc;

use crate::access::{Access, AccessRun};
use crate::container::Kind;
use crate::instance::{CodeId, Instance};
use crate::observe::growth::Growth;
use crate::phases::{Detectors, Pattern};
use crate::picture::Drawing;
use crate::protocol::Protocol;
use crate::settings::Settings;

/// Runs of an instance that are kept as they are before detectors are made for it: most instances never have more.
const EARLY: usize = 8;

/// Takes the accesses of one instance in and makes its protocol. Different instances can be analysed at the same time.
#[derive(Debug)]
pub struct InstanceAnalysis {
    settings: Arc<Settings>,
    instance: Instance,
    growth: Growth,
    /// Accesses that may still be continued.
    pending: Option<AccessRun>,
    early: Vec<AccessRun>,
    engine: Option<Box<Engine>>,
    drawing: Option<Drawing>,
}

impl InstanceAnalysis {
    /// Nothing was accessed yet.
    #[must_use]
    pub fn new(instance: Instance, settings: &Arc<Settings>) -> Self {
        let (settings, growth) = (Arc::clone(settings), Growth::default());
        Self { settings, instance, growth, pending: None, early: Vec::new(), engine: None, drawing: None }
    }

    /// The same, and its picture is drawn on the way.
    pub(crate) fn drawn(instance: Instance, settings: &Arc<Settings>) -> Self {
        Self { drawing: Some(Drawing::new()), ..Self::new(instance, settings) }
    }

    /// The picture so far.
    pub(crate) fn drawing(&mut self) -> Option<&mut Drawing> {
        self.drawing.as_mut()
    }

    /// Bytes that the picture takes.
    pub(crate) fn drawing_bytes(&self) -> usize {
        self.drawing.as_ref().map_or(0, Drawing::bytes)
    }

    /// One access.
    pub fn access(&mut self, access: Access) {
        self.single(AccessRun::single(access));
    }

    /// A run of one access: those that follow each other by equal steps are joined.
    fn single(&mut self, single: AccessRun) {
        let gap = self.settings.thresholds.gap as u64;
        let joined = |run: &mut AccessRun| run.extend(&single.first, single.at_once, gap);
        if self.pending.as_mut().is_some_and(joined) {
            return;
        }
        if let Some(run) = self.pending.replace(single) {
            self.consume(&run);
        }
    }

    /// Accesses that follow each other by equal steps. A run of none is left out.
    pub fn run(&mut self, run: AccessRun) {
        if run.count == 1 {
            return self.single(run);
        }
        self.flush();
        if run.count > 0 {
            self.consume(&run);
        }
    }

    /// The memory grew: capacities in elements, and the call site that made it grow.
    pub fn grown(&mut self, old_capacity: u64, new_capacity: u64, code: CodeId) {
        self.growth.grown(old_capacity, new_capacity, code);
    }

    /// The instance was dropped, or the recording ended.
    #[must_use]
    pub fn finish(self) -> Protocol {
        self.finish_drawn().0
    }

    /// The same, with the drawing of its picture.
    pub(crate) fn finish_drawn(mut self) -> (Protocol, Option<Drawing>) {
        self.flush();
        let engine = self.engine.take().unwrap_or_else(|| self.engine());
        (Protocol { growth: self.growth, ..engine.finish() }, self.drawing)
    }

    fn flush(&mut self) {
        if let Some(run) = self.pending.take() {
            self.consume(&run);
        }
    }

    fn consume(&mut self, run: &AccessRun) {
        if let Some(drawing) = &mut self.drawing {
            drawing.run(run);
        }
        match &mut self.engine {
            Some(engine) => engine.consume(run),
            None if self.early.len() < EARLY => self.early.push(*run),
            None => {
                let mut engine = self.engine();
                engine.consume(run);
                self.engine = Some(engine);
            }
        }
    }

    /// Detectors that have seen the early runs.
    fn engine(&mut self) -> Box<Engine> {
        let mut engine = Box::new(Engine::new(self.instance, &self.settings));
        std::mem::take(&mut self.early).iter().for_each(|run| engine.consume(run));
        engine
    }
}

/// Detectors and observers of one instance.
#[derive(Debug)]
struct Engine {
    settings: Arc<Settings>,
    detectors: Detectors,
    protocol: Protocol,
}

impl Engine {
    fn new(instance: Instance, settings: &Arc<Settings>) -> Self {
        let detectors = Detectors::new(&settings.thresholds);
        Self { settings: Arc::clone(settings), detectors, protocol: Protocol::new(instance) }
    }

    fn finish(mut self) -> Protocol {
        let (protocol, settings) = (&mut self.protocol, &self.settings);
        self.detectors.finish(&mut |phase| protocol.phase(phase, settings));
        self.protocol.unread.finish();
        for list in &mut self.protocol.phases {
            list.shrink(self.settings.limits.phases);
        }
        self.protocol
    }

    fn consume(&mut self, run: &AccessRun) {
        let number = self.protocol.events;
        if run.first.kind == Kind::Sort {
            self.sort_follows(number);
        }
        let (protocol, settings) = (&mut self.protocol, &self.settings);
        self.detectors.run(run, number, &mut |phase| protocol.phase(phase, settings));
        self.observe(run);
    }

    fn observe(&mut self, run: &AccessRun) {
        let protocol = &mut self.protocol;
        protocol.events += run.count;
        protocol.time = (protocol.time.0.min(run.first.time), protocol.time.1.max(run.last_time));
        let longest =
            [run.first.length, run.first.length_after(), run.last().length, run.last().length_after()];
        protocol.max_length = longest.into_iter().fold(protocol.max_length, u64::max);
        protocol.counts.run(&protocol.instance, run);
        protocol.ends.run(run);
        protocol.unread.run(run);
        let is_map = protocol.instance.container.is_search_structure();
        protocol.after_search.run(run, is_map);
        protocol.sorted_searches.run(run);
        protocol.loops.run(run);
    }

    /// A sort has this number: the insert phases that it follows directly, if they are long.
    fn sort_follows(&mut self, number: u64) {
        let open = [Pattern::InsertFront, Pattern::InsertBack]
            .map(|pattern| self.detectors.open_before(pattern, number));
        let longest = open.into_iter().flatten().max_by_key(|phase| phase.events);
        let least = self.settings.thresholds.sort_after_insert_events;
        if let Some(phase) = longest.filter(|phase| phase.events as f64 >= least) {
            self.protocol.sorted_inserts.add(&phase);
        }
    }
}
