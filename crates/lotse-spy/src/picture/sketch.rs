//! Pictures that are drawn while a history is decoded, in case they are requested later.

use serde::{Deserialize, Serialize};

use super::{PictureBuilder, Scale, Window};
use crate::access::AccessRun;

/// Histories with at most this many runs are stored as they are: most instances never have more.
const FEW: usize = 16;

/// The complete history of one instance, drawn over event numbers and over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch {
    by_access: PictureBuilder,
    by_time: PictureBuilder,
}

impl Default for Sketch {
    fn default() -> Self {
        let new = |scale| PictureBuilder::new(scale, Window::default());
        Self { by_access: new(Scale::Events), by_time: new(Scale::Time) }
    }
}

impl Sketch {
    /// The picture with one of the two scales.
    #[must_use]
    pub fn scaled(self, scale: Scale) -> PictureBuilder {
        match scale {
            Scale::Events => self.by_access,
            Scale::Time => self.by_time,
        }
    }

    fn add_run(&mut self, run: &AccessRun) {
        self.by_access.add_run(run);
        self.by_time.add_run(run);
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.by_access.bytes() + self.by_time.bytes()
    }
}

/// The picture of a live instance. It can be discarded if memory is short.
#[derive(Debug)]
pub(crate) struct Drawing {
    state: DrawingState,
    events: u64,
    bytes: usize,
}

#[derive(Debug)]
enum DrawingState {
    Few(Vec<AccessRun>),
    Drawn(Box<Sketch>),
    Discarded,
}

impl Drawing {
    pub(crate) fn new() -> Self {
        Self { state: DrawingState::Few(Vec::new()), events: 0, bytes: 0 }
    }

    pub(crate) fn add_run(&mut self, run: &AccessRun) {
        self.events += run.count;
        match &mut self.state {
            DrawingState::Few(runs) if runs.len() < FEW => runs.push(*run),
            DrawingState::Few(runs) => {
                let mut sketch = drawn(runs);
                sketch.add_run(run);
                self.bytes = sketch.bytes();
                self.state = DrawingState::Drawn(sketch);
            }
            DrawingState::Drawn(sketch) => {
                sketch.add_run(run);
                self.bytes = sketch.bytes();
            }
            DrawingState::Discarded => {}
        }
    }

    /// Number of accesses so far.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Memory in bytes, without the first few runs.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn discard(&mut self) {
        (self.state, self.bytes) = (DrawingState::Discarded, 0);
    }

    /// The picture; `None` if it was discarded.
    pub(crate) fn finish(self) -> Option<Box<Sketch>> {
        match self.state {
            DrawingState::Few(runs) => Some(drawn(&runs)),
            DrawingState::Drawn(sketch) => Some(sketch),
            DrawingState::Discarded => None,
        }
    }
}

fn drawn(runs: &[AccessRun]) -> Box<Sketch> {
    let mut sketch = Box::new(Sketch::default());
    runs.iter().for_each(|run| sketch.add_run(run));
    sketch
}

#[cfg(test)]
mod tests {
    use super::{Drawing, Sketch};
    use crate::access::{Access, AccessRun};
    use crate::container::AccessKind;
    use crate::instance::ThreadId;

    /// Reads far apart from each other, by two threads.
    fn scattered(count: u64) -> impl Iterator<Item = AccessRun> {
        (0..count).map(|at| {
            let mut read = Access::at(AccessKind::Read, at * 7919 % 1000, 1000, 100 * at);
            read.thread = ThreadId((at / 50) as u32 % 2);
            AccessRun::single(read)
        })
    }

    #[test]
    fn a_drawing_is_what_a_builder_makes_of_the_same_runs() {
        for count in [3, 16, 17, 40, 2000] {
            let (mut drawing, mut sketch) = (Drawing::new(), Sketch::default());
            scattered(count).for_each(|run| drawing.add_run(&run));
            scattered(count).for_each(|run| sketch.add_run(&run));
            assert_eq!((drawing.events(), drawing.bytes() > 0), (count, count > 16));
            assert_eq!(drawing.finish().map(|boxed| *boxed), Some(sketch), "{count} runs");
        }
    }

    #[test]
    fn a_discarded_drawing_stays_so() {
        let mut drawing = Drawing::new();
        scattered(2000).for_each(|run| drawing.add_run(&run));
        drawing.discard();
        scattered(20).for_each(|run| drawing.add_run(&run));
        assert_eq!((drawing.events(), drawing.bytes()), (2020, 0));
        assert!(drawing.finish().is_none());
    }
}
