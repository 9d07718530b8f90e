//! Analyses all structures of a history while it is decoded, on several threads.
//!
//! ```text
//! decoder ──accesses in batches──> shard 0 ─┐ protocols of dropped structures
//!    │                             shard 1 ─┤
//!    └──────────<── program (rules) <───────┘ added in the order in which the structures were dropped
//! ```
//!
//! Each structure belongs to one shard, so its accesses stay in order. Protocols are added to the program in the order in
//! which their structures were dropped, so the result does not depend on the number of threads. The only exception are
//! pictures: which of them are discarded for lack of memory depends on the number of shards.

mod gallery;
mod shard;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

pub use self::gallery::Gallery;
use self::shard::{FinishedAnalysis, Shard, ShardOptions, StructureEvent};
use crate::access::AccessRun;
use crate::decode::Consumer;
use crate::instance::{CodeId, CodeTable, Instance, InstanceId};
use crate::program::Program;
use crate::settings::Settings;

/// The analyses of live structures, and the program that collects the finished ones.
#[derive(Debug)]
pub struct Analyses {
    shards: Vec<Shard>,
    finished: Receiver<FinishedAnalysis>,
    /// Protocols that arrived before those of structures that were dropped earlier, by drop number.
    early: BTreeMap<u64, FinishedAnalysis>,
    /// Number of dropped structures, and how many of their protocols were added to the program.
    ended: u64,
    added: u64,
    program: Program,
    gallery: Gallery,
    events: u64,
}

/// The result of analysing all structures.
#[derive(Debug)]
pub struct AnalysisResult {
    /// Creation sites and the matches of the rules.
    pub program: Program,
    /// Accesses of all structures.
    pub events: u64,
    /// Pictures of the structures with the most accesses.
    pub gallery: Gallery,
}

impl Analyses {
    /// No structures yet. They are analysed by `threads` threads, or by the calling thread if that is 0.
    #[must_use]
    pub fn new(settings: &Arc<Settings>, threads: usize) -> Self {
        let (sender, finished) = channel();
        let picture_bytes = settings.limits.picture_bytes / threads.max(1);
        let options = ShardOptions { settings: Arc::clone(settings), picture_bytes, finished: sender };
        let shards = match threads {
            0 => vec![Shard::here(options)],
            _ => (0..threads).map(|_| Shard::thread(options.clone())).collect(),
        };
        let (program, gallery) = (Program::new(settings), Gallery::new(&settings.limits));
        Self { shards, finished, early: BTreeMap::new(), ended: 0, added: 0, program, gallery, events: 0 }
    }

    /// The result, after all structures were dropped.
    #[must_use]
    pub fn finish(mut self, codes: &CodeTable) -> AnalysisResult {
        self.shards.drain(..).for_each(Shard::finish);
        while let Ok(finished) = self.finished.try_recv() {
            self.early.insert(finished.number, finished);
        }
        self.add_arrived(codes);
        AnalysisResult { program: self.program, events: self.events, gallery: self.gallery }
    }

    fn send(&mut self, id: InstanceId, event: StructureEvent) {
        let shard = id.0 as usize % self.shards.len();
        self.shards[shard].send(event);
    }

    /// Adds the protocols that have arrived to the program, as far as none before them is missing.
    fn add_arrived(&mut self, codes: &CodeTable) {
        while let Some(finished) = self.early.remove(&self.added) {
            let FinishedAnalysis { protocol, drawing, .. } = finished;
            let (events, id) = (protocol.events, protocol.instance.id);
            let site = self.program.add_to_site(protocol, codes);
            if let Some(drawing) = drawing {
                self.gallery.offer(site, events, id, drawing);
            }
            self.added += 1;
        }
    }
}

impl Consumer for Analyses {
    fn created(&mut self, instance: Instance) {
        self.send(instance.id, StructureEvent::Created(instance));
    }

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        self.events += run.count;
        self.send(id, StructureEvent::Access(id, run));
    }

    fn grown(&mut self, id: InstanceId, old: u64, new: u64, code: CodeId) {
        self.send(id, StructureEvent::Grown(id, old, new, code));
    }

    fn dropped(&mut self, id: InstanceId, codes: &CodeTable) {
        self.send(id, StructureEvent::Dropped(id, self.ended));
        self.ended += 1;
        while let Ok(finished) = self.finished.try_recv() {
            self.early.insert(finished.number, finished);
        }
        self.add_arrived(codes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Analyses;
    use crate::access::{Access, AccessRun};
    use crate::container::{AccessKind, Container};
    use crate::decode::Consumer as _;
    use crate::instance::{CodeTable, Instance, InstanceId};
    use crate::settings::Settings;
    use crate::severity::RunTime;

    /// 40 structures of three sites at the same time; every third is dropped early.
    fn analysed(threads: usize) -> String {
        let mut codes = CodeTable::default();
        let sites =
            [1, 2, 3].map(|line| codes.add(CodeTable::code_at("src/main.rs", line, 1, "main", Some("new"))));
        let mut analyses = Analyses::new(&Arc::new(Settings::default()), threads);
        for id in 0..40 {
            analyses.created(Instance::new(id, Container::Vec, 8, sites[id as usize % 3]));
        }
        for at in 0..2_000 {
            for id in (0..40).filter(|id| id % 3 > 0 || at < 500) {
                let push = Access::at(AccessKind::Insert, at, at, 100 * at + id).by(sites[2]);
                analyses.access(InstanceId(id), AccessRun::single(push));
            }
            if at == 500 {
                (0..40).step_by(3).for_each(|id| analyses.dropped(InstanceId(id), &codes));
            }
        }
        (0..40).filter(|id| id % 3 > 0).for_each(|id| analyses.dropped(InstanceId(id), &codes));
        let analysed = analyses.finish(&codes);
        let time = RunTime { unrecorded: Some(0.1), recorded: Some(0.4) };
        format!(
            "{} {:?} {:?}",
            analysed.events,
            analysed.program.findings(&codes, time),
            analysed.program.sites()
        )
    }

    #[test]
    fn any_number_of_threads_gives_the_same() {
        let alone = analysed(0);
        assert!(alone.contains("spy-long-insert"), "{alone}");
        assert_eq!(analysed(1), alone);
        assert_eq!(analysed(3), alone);
    }
}
