//! The analyses of all structures of a history while it is decoded.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::access::AccessRun;
use crate::analysis::InstanceAnalysis;
use crate::decode::Consumer;
use crate::instance::{CodeId, CodeTable, Instance, InstanceId};
use crate::program::Program;
use crate::settings::Settings;

/// Analyses of the structures that live, and the program they belong to.
#[derive(Debug)]
pub struct Analyses {
    settings: Arc<Settings>,
    live: HashMap<InstanceId, InstanceAnalysis>,
    /// What was found so far.
    pub program: Program,
    /// Accesses of all structures.
    pub events: u64,
}

impl Analyses {
    /// Without structures.
    #[must_use]
    pub fn new(settings: &Arc<Settings>) -> Self {
        Self {
            settings: Arc::clone(settings),
            live: HashMap::new(),
            program: Program::new(settings),
            events: 0,
        }
    }
}

impl Consumer for Analyses {
    fn created(&mut self, instance: Instance) {
        self.live.insert(instance.id, InstanceAnalysis::new(instance, &self.settings));
    }

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        self.events += run.count;
        if let Some(analysis) = self.live.get_mut(&id) {
            // Single accesses that follow each other by equal steps are joined.
            if run.count == 1 { analysis.access(run.first) } else { analysis.run(run) }
        }
    }

    fn grown(&mut self, id: InstanceId, old: u64, new: u64, code: CodeId) {
        if let Some(analysis) = self.live.get_mut(&id) {
            analysis.grown(old, new, code);
        }
    }

    fn dropped(&mut self, id: InstanceId, codes: &CodeTable) {
        if let Some(analysis) = self.live.remove(&id) {
            self.program.add(analysis.finish(), codes);
        }
    }
}
