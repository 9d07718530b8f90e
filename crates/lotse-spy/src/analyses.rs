//! The analyses of all structures of a history while it is decoded.
//!
//! ```text
//! decoder ──accesses in batches──> shard 0 ─┐ protocols of structures that ended
//!    │                             shard 1 ─┤
//!    └──────────<── program (rules) <───────┘ taken in the order in which the structures ended
//! ```
//!
//! Each structure belongs to one shard, so its accesses stay in order. The program takes protocols in the order in which
//! their structures ended: the result does not depend on the number of threads. Pictures are the exception: which of them are
//! given up for want of memory depends on it.

mod gallery;
mod shard;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

pub use self::gallery::Gallery;
use self::shard::{Finished, Means, Message, Shard};
use crate::access::AccessRun;
use crate::decode::Consumer;
use crate::instance::{CodeId, CodeTable, Instance, InstanceId};
use crate::program::Program;
use crate::settings::Settings;

/// Analyses of the structures that live, and the program they belong to.
#[derive(Debug)]
pub struct Analyses {
    shards: Vec<Shard>,
    finished: Receiver<Finished>,
    /// Protocols that came before those of structures that ended earlier.
    early: BTreeMap<u64, Finished>,
    /// Structures that ended, and how many of their protocols the program has.
    ended: u64,
    taken: u64,
    program: Program,
    gallery: Gallery,
    events: u64,
}

/// What the analyses of all structures gave.
#[derive(Debug)]
pub struct Analysed {
    /// Sites, and what rules found.
    pub program: Program,
    /// Accesses of all structures.
    pub events: u64,
    /// Pictures of the structures with the most accesses.
    pub gallery: Gallery,
}

impl Analyses {
    /// Without structures. Structures are analysed by so many threads, or by the caller's if there are none.
    #[must_use]
    pub fn new(settings: &Arc<Settings>, threads: usize) -> Self {
        let (sender, finished) = channel();
        let picture_bytes = settings.limits.picture_bytes / threads.max(1);
        let means = Means { settings: Arc::clone(settings), picture_bytes, finished: sender };
        let shards = match threads {
            0 => vec![Shard::here(means)],
            _ => (0..threads).map(|_| Shard::thread(means.clone())).collect(),
        };
        let (program, gallery) = (Program::new(settings), Gallery::new(&settings.limits));
        Self { shards, finished, early: BTreeMap::new(), ended: 0, taken: 0, program, gallery, events: 0 }
    }

    /// All structures have ended: what was found.
    #[must_use]
    pub fn finish(mut self, codes: &CodeTable) -> Analysed {
        self.shards.drain(..).for_each(Shard::finish);
        while let Ok(finished) = self.finished.try_recv() {
            self.early.insert(finished.number, finished);
        }
        self.take(codes);
        Analysed { program: self.program, events: self.events, gallery: self.gallery }
    }

    fn send(&mut self, id: InstanceId, message: Message) {
        let shard = id.0 as usize % self.shards.len();
        self.shards[shard].send(message);
    }

    /// The program takes the protocols that are there and next in turn.
    fn take(&mut self, codes: &CodeTable) {
        while let Some(finished) = self.early.remove(&self.taken) {
            let Finished { protocol, drawing, .. } = finished;
            let (events, id) = (protocol.events, protocol.instance.id);
            let site = self.program.add_to_site(protocol, codes);
            if let Some(drawing) = drawing {
                self.gallery.offer(site, events, id, drawing);
            }
            self.taken += 1;
        }
    }
}

impl Consumer for Analyses {
    fn created(&mut self, instance: Instance) {
        self.send(instance.id, Message::Created(instance));
    }

    fn access(&mut self, id: InstanceId, run: AccessRun) {
        self.events += run.count;
        self.send(id, Message::Access(id, run));
    }

    fn grown(&mut self, id: InstanceId, old: u64, new: u64, code: CodeId) {
        self.send(id, Message::Grown(id, old, new, code));
    }

    fn dropped(&mut self, id: InstanceId, codes: &CodeTable) {
        self.send(id, Message::Dropped(id, self.ended));
        self.ended += 1;
        while let Ok(finished) = self.finished.try_recv() {
            self.early.insert(finished.number, finished);
        }
        self.take(codes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Analyses;
    use crate::access::{Access, AccessRun};
    use crate::container::{Container, Kind};
    use crate::decode::Consumer as _;
    use crate::instance::{CodeTable, Instance, InstanceId};
    use crate::settings::Settings;
    use crate::severity::RunTime;

    /// 40 structures of three sites at the same time, of which every third ends early.
    fn analysed(threads: usize) -> String {
        let mut codes = CodeTable::default();
        let sites =
            [1, 2, 3].map(|line| codes.add(CodeTable::place("src/main.rs", line, 1, "main", Some("new"))));
        let mut analyses = Analyses::new(&Arc::new(Settings::default()), threads);
        for id in 0..40 {
            analyses.created(Instance::new(id, Container::Vec, 8, sites[id as usize % 3]));
        }
        for at in 0..2_000 {
            for id in (0..40).filter(|id| id % 3 > 0 || at < 500) {
                let push = Access::at(Kind::Insert, at, at, 100 * at + id).by(sites[2]);
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
