//! Measures how fast events are decoded. Not run by default: `cargo test --release --test otf2_read_speed -- --ignored
//! --nocapture`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "it reads a file of the kernel")]

#[path = "otf2_read/written.rs"]
mod written;

use lotse_formats::trace::otf2;
use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};
use written::{definitions, write};

const EVENTS: u64 = 4_000_000;

/// A minimal consumer, which uses every part of an event.
#[derive(Default)]
struct Summed {
    times: u64,
    regions: u64,
}

impl EventSink for Summed {
    #[inline]
    fn event(&mut self, at: Ticks, _: EventKind, event: Event) {
        self.times = self.times.wrapping_add(at);
        if let Event::Enter { region } | Event::Leave { region } = event {
            self.regions = self.regions.wrapping_add(u64::from(region.0));
        }
    }
}

/// The CPU time of this thread, so that other work on the machine does not matter.
fn processor_seconds() -> f64 {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    line.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Calls of random depth, so that the order of enters and leaves is not predictable.
fn calls(seed: u64) -> impl Iterator<Item = (Ticks, EventKind, Event)> {
    let (mut state, mut at, mut stack) = (seed, 1 << 40, Vec::new());
    (0..EVENTS).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let random = state >> 33;
        at += random % 1000;
        match stack.pop().filter(|_| random & (1 << 20) != 0) {
            Some(region) => (at, EventKind::Leave, Event::Leave { region }),
            None => {
                let region = RegionId(1 + (random % 300) as u32);
                stack.push(region);
                (at, EventKind::Enter, Event::Enter { region })
            }
        }
    })
}

#[test]
#[ignore = "takes seconds and a hundred megabytes, and asserts nothing about time"]
fn enters_and_leaves() {
    let made = write(&definitions(4, 300), |location, out| {
        calls(u64::from(location.0)).for_each(|(at, kind, event)| out.push(at, kind, event).unwrap());
    });
    let input = otf2::open(&made).unwrap();
    for round in 0..3 {
        let before = processor_seconds();
        let (mut events, mut sum) = (0, Summed::default());
        for stream in &input.streams {
            events += (0..stream.chunks()).map(|chunk| stream.decode(chunk, &mut sum).events).sum::<u64>();
        }
        let million = events as f64 / (processor_seconds() - before) / 1e6;
        println!(
            "round {round}: {million:.0} million events per CPU second ({}, {})",
            sum.times, sum.regions
        );
        assert_eq!(events, EVENTS * input.streams.len() as u64);
    }
}
