//! Traces truncated or changed anywhere: no panic, times do not go backwards, calls are nested.

use lotse_formats::trace::TraceInput;
use lotse_formats::trace::open::open;
use lotse_model::bytes::MemoryFolder;
use lotse_model::id::RegionId;
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

#[derive(Default)]
struct Nested {
    last: Ticks,
    open: Vec<RegionId>,
    events: usize,
}

impl EventSink for Nested {
    fn event(&mut self, at: Ticks, _: EventKind, event: Event) {
        assert!(at >= self.last, "times do not go backwards");
        (self.last, self.events) = (at, self.events + 1);
        match event {
            Event::Enter { region } => self.open.push(region),
            Event::Leave { region } => assert_eq!(self.open.pop(), Some(region)),
            _ => {}
        }
    }
}

fn check(trace: &TraceInput<'_>) -> usize {
    let mut events = 0;
    for stream in &trace.streams {
        let mut sink = Nested::default();
        (0..stream.chunks()).for_each(|chunk| drop(stream.decode(chunk, &mut sink)));
        assert!(sink.open.is_empty(), "every call ends");
        events += sink.events;
    }
    events
}

fn damaged(seed: &[u8], format: &str) {
    let opened =
        |bytes: &[u8]| open(&MemoryFolder::alone("t", bytes), Some(format)).map(|trace| check(&trace));
    let whole = opened(seed).unwrap_or_else(|error| panic!("{error}"));
    assert!(whole >= 4, "{whole} events");
    for end in 0..seed.len() {
        // A truncated trace never has more events than the complete one.
        assert!(opened(&seed[..end]).unwrap_or(0) <= whole);
    }
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..2000 {
        let mut bytes = seed.to_vec();
        for _ in 0..=random(4) {
            let (from, to) = (random(bytes.len()), random(bytes.len()));
            match random(3) {
                0 => bytes[from] = b"0129-:.,{}[]\"eBEXsft\n"[random(21)],
                1 => bytes[from] = bytes[to],
                _ => bytes.insert(from, b"0129-:.,{}[]\"eBEXsft\n"[random(21)]),
            }
        }
        drop(opened(&bytes));
    }
}

#[test]
fn chrome() {
    for seed in [
        include_bytes!("../../../fuzz/corpus/trace_chrome/seed-spans").as_slice(),
        include_bytes!("../../../fuzz/corpus/trace_chrome/seed-flows"),
        include_bytes!("../../../fuzz/corpus/trace_chrome/seed-overlaps"),
        include_bytes!("../../../fuzz/corpus/trace_chrome/seed-collectives"),
    ] {
        damaged(seed, "chrome-trace");
    }
}

#[test]
fn paraver() {
    damaged(include_bytes!("../../../fixtures/trace/ring.prv"), "paraver");
    damaged(include_bytes!("../../../fuzz/corpus/paraver/seed-odd"), "paraver");
}
