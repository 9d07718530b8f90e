//! A shard: the part of the structures of a history that one thread analyses.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;

use hashbrown::HashMap;

use crate::access::AccessRun;
use crate::analysis::InstanceAnalysis;
use crate::instance::{CodeId, Instance, InstanceId};
use crate::picture::Drawing;
use crate::protocol::Protocol;
use crate::settings::Settings;

/// Events that are sent to a thread together.
const BATCH: usize = 2048;
/// Capacity of the queue of batches; the sender blocks while it is full.
const QUEUED_BATCHES: usize = 8;

/// An event of a structure's life.
#[derive(Debug)]
pub(super) enum StructureEvent {
    Created(Instance),
    Access(InstanceId, AccessRun),
    Grown(InstanceId, u64, u64, CodeId),
    /// The structure was dropped; the number counts dropped structures.
    Dropped(InstanceId, u64),
}

/// The protocol of a dropped structure.
#[derive(Debug)]
pub(super) struct FinishedAnalysis {
    /// How many structures were dropped before it.
    pub(super) number: u64,
    pub(super) protocol: Protocol,
    pub(super) drawing: Option<Drawing>,
}

/// What all shards have in common.
#[derive(Debug, Clone)]
pub(super) struct ShardOptions {
    pub(super) settings: Arc<Settings>,
    /// Memory limit for the pictures of live structures, in bytes per shard.
    pub(super) picture_bytes: usize,
    pub(super) finished: Sender<FinishedAnalysis>,
}

/// Processes events, in the calling thread or in a thread of its own.
#[derive(Debug)]
pub(super) enum Shard {
    Here(LiveAnalyses),
    Thread { batches: SyncSender<Vec<StructureEvent>>, batch: Vec<StructureEvent>, thread: JoinHandle<()> },
}

impl Shard {
    /// A shard that processes each event in the calling thread.
    pub(super) fn here(options: ShardOptions) -> Self {
        Self::Here(LiveAnalyses::new(options))
    }

    /// A shard with a thread of its own.
    pub(super) fn thread(options: ShardOptions) -> Self {
        let (batches, receiver): (_, Receiver<Vec<StructureEvent>>) = sync_channel(QUEUED_BATCHES);
        let mut live = LiveAnalyses::new(options);
        let thread = std::thread::spawn(move || {
            receiver.iter().flatten().for_each(|event| live.process(event));
        });
        Self::Thread { batches, batch: Vec::with_capacity(BATCH), thread }
    }

    pub(super) fn send(&mut self, event: StructureEvent) {
        match self {
            Self::Here(live) => live.process(event),
            Self::Thread { batches, batch, .. } => {
                batch.push(event);
                if batch.len() == BATCH {
                    // Sending fails only after the thread panicked; `finish` passes the panic on.
                    drop(batches.send(std::mem::replace(batch, Vec::with_capacity(BATCH))));
                }
            }
        }
    }

    /// Waits until all events are processed.
    pub(super) fn finish(self) {
        if let Self::Thread { batches, batch, thread } = self {
            drop(batches.send(batch));
            drop(batches);
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// The analyses of live structures.
#[derive(Debug)]
pub(super) struct LiveAnalyses {
    options: ShardOptions,
    live: HashMap<InstanceId, InstanceAnalysis>,
    /// Bytes of all pictures.
    bytes: usize,
}

/// Under memory pressure, pictures of structures with fewer accesses than this are discarded first.
const FEW_EVENTS: u64 = 64;

impl LiveAnalyses {
    fn new(options: ShardOptions) -> Self {
        Self { options, live: HashMap::new(), bytes: 0 }
    }

    fn process(&mut self, event: StructureEvent) {
        match event {
            StructureEvent::Created(instance) => {
                self.live
                    .insert(instance.id, InstanceAnalysis::with_drawing(instance, &self.options.settings));
            }
            StructureEvent::Access(id, run) => {
                let Some(analysis) = self.live.get_mut(&id) else { return };
                let before = analysis.drawing_bytes();
                analysis.add_run(run);
                self.bytes = self.bytes + analysis.drawing_bytes() - before;
                if self.bytes > self.options.picture_bytes {
                    self.discard_pictures();
                }
            }
            StructureEvent::Grown(id, old, new, code) => {
                if let Some(analysis) = self.live.get_mut(&id) {
                    analysis.grown(old, new, code);
                }
            }
            StructureEvent::Dropped(id, number) => {
                let Some(analysis) = self.live.remove(&id) else { return };
                self.bytes -= analysis.drawing_bytes();
                let (protocol, drawing) = analysis.finish_with_drawing();
                // Fails only if the receiver was dropped, and then nobody needs the result.
                drop(self.options.finished.send(FinishedAnalysis { number, protocol, drawing }));
            }
        }
    }

    /// Discards pictures of structures with few accesses, with a rising threshold, until half of the limit is free.
    fn discard_pictures(&mut self) {
        let mut few = FEW_EVENTS;
        while self.bytes > self.options.picture_bytes / 2 {
            for drawing in self.live.values_mut().filter_map(InstanceAnalysis::drawing) {
                if drawing.events() < few {
                    self.bytes -= drawing.bytes();
                    drawing.discard();
                }
            }
            few = few.saturating_mul(4);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use super::{Shard, ShardOptions, StructureEvent};
    use crate::access::{Access, AccessRun};
    use crate::container::{AccessKind, Container};
    use crate::instance::{CodeId, Instance, InstanceId};
    use crate::settings::Settings;

    fn reads(shard: &mut Shard, id: u64, count: u64) {
        for at in 0..count {
            let read = Access::at(AccessKind::Read, at * at * 7 % 1000, 1000, 100 * at);
            shard.send(StructureEvent::Access(InstanceId(id), AccessRun::single(read)));
        }
    }

    #[test]
    fn without_room_the_pictures_of_structures_with_few_accesses_are_given_up() {
        let (finished, receiver) = channel();
        let settings = Arc::new(Settings::default());
        let mut shard = Shard::here(ShardOptions { settings, picture_bytes: 4_000_000, finished });
        // One structure is used often, then many others a little, then a last one often again.
        for (id, count) in (0..52).map(|id| (id, if id % 51 == 0 { 3000 } else { 60 })) {
            shard.send(StructureEvent::Created(Instance::new(id, Container::Vec, 8, CodeId(0))));
            reads(&mut shard, id, count);
        }
        (0..52).for_each(|id| shard.send(StructureEvent::Dropped(InstanceId(id), id)));
        let drawn: Vec<bool> = receiver
            .try_iter()
            .map(|finished| finished.drawing.and_then(crate::picture::Drawing::finish).is_some())
            .collect();
        assert!(drawn[0] && drawn[51], "{drawn:?}");
        assert!(drawn[1..51].contains(&false), "{drawn:?}");
    }
}
