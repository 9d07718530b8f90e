//! Pictures of a history that is not asked for yet, drawn while it is read.

use serde::{Deserialize, Serialize};

use super::{PictureBuilder, Scale, Window};
use crate::access::AccessRun;

/// Histories of fewer runs are kept as they are: most instances never have more.
const FEW: usize = 16;

/// The whole history of one instance, over accesses and over time.
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
    /// The picture over one of the two scales.
    #[must_use]
    pub fn scaled(self, scale: Scale) -> PictureBuilder {
        match scale {
            Scale::Events => self.by_access,
            Scale::Time => self.by_time,
        }
    }

    fn run(&mut self, run: &AccessRun) {
        self.by_access.run(run);
        self.by_time.run(run);
    }

    /// Bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.by_access.bytes() + self.by_time.bytes()
    }
}

/// The picture of an instance that is still used. It can be given up where there is no memory for it.
#[derive(Debug)]
pub(crate) struct Drawing {
    state: State,
    events: u64,
    bytes: usize,
}

#[derive(Debug)]
enum State {
    Few(Vec<AccessRun>),
    Drawn(Box<Sketch>),
    GivenUp,
}

impl Drawing {
    pub(crate) fn new() -> Self {
        Self { state: State::Few(Vec::new()), events: 0, bytes: 0 }
    }

    pub(crate) fn run(&mut self, run: &AccessRun) {
        self.events += run.count;
        match &mut self.state {
            State::Few(runs) if runs.len() < FEW => runs.push(*run),
            State::Few(runs) => {
                let mut sketch = drawn(runs);
                sketch.run(run);
                self.bytes = sketch.bytes();
                self.state = State::Drawn(sketch);
            }
            State::Drawn(sketch) => {
                sketch.run(run);
                self.bytes = sketch.bytes();
            }
            State::GivenUp => {}
        }
    }

    /// Accesses so far.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Bytes of memory it takes, but for the few first runs.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn give_up(&mut self) {
        (self.state, self.bytes) = (State::GivenUp, 0);
    }

    /// The picture; nothing where it was given up.
    pub(crate) fn finish(self) -> Option<Box<Sketch>> {
        match self.state {
            State::Few(runs) => Some(drawn(&runs)),
            State::Drawn(sketch) => Some(sketch),
            State::GivenUp => None,
        }
    }
}

fn drawn(runs: &[AccessRun]) -> Box<Sketch> {
    let mut sketch = Box::new(Sketch::default());
    runs.iter().for_each(|run| sketch.run(run));
    sketch
}

#[cfg(test)]
mod tests {
    use super::{Drawing, Sketch};
    use crate::access::{Access, AccessRun};
    use crate::container::Kind;
    use crate::instance::ThreadId;

    /// Reads far apart from each other, by two threads.
    fn scattered(count: u64) -> impl Iterator<Item = AccessRun> {
        (0..count).map(|at| {
            let mut read = Access::at(Kind::Read, at * 7919 % 1000, 1000, 100 * at);
            read.thread = ThreadId((at / 50) as u32 % 2);
            AccessRun::single(read)
        })
    }

    #[test]
    fn a_drawing_is_what_a_builder_makes_of_the_same_runs() {
        for count in [3, 16, 17, 40, 2000] {
            let (mut drawing, mut sketch) = (Drawing::new(), Sketch::default());
            scattered(count).for_each(|run| drawing.run(&run));
            scattered(count).for_each(|run| sketch.run(&run));
            assert_eq!((drawing.events(), drawing.bytes() > 0), (count, count > 16));
            assert_eq!(drawing.finish().map(|boxed| *boxed), Some(sketch), "{count} runs");
        }
    }

    #[test]
    fn a_drawing_that_was_given_up_stays_so() {
        let mut drawing = Drawing::new();
        scattered(2000).for_each(|run| drawing.run(&run));
        drawing.give_up();
        scattered(20).for_each(|run| drawing.run(&run));
        assert_eq!((drawing.events(), drawing.bytes()), (2020, 0));
        assert!(drawing.finish().is_none());
    }
}
