//! OTF2 archives. An input is a sequence of files: the number of the name, the length in three bytes, the content.

use lotse_formats::trace::otf2;
use lotse_model::bytes::Folder;
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Ticks};

const NAMES: [&str; 6] = ["t.def", "t.otf2", "t/0.def", "t/0.evt", "t/1.def", "t/1.evt"];

/// The files of an input; of several files with the same name, the last one counts.
struct Files {
    names: Vec<String>,
    contents: Vec<Vec<u8>>,
}

impl Files {
    fn parse(mut data: &[u8]) -> Self {
        let mut found: [Option<&[u8]>; 6] = [None; 6];
        while let [number, a, b, c, rest @ ..] = data {
            let length = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
            let (content, after) = rest.split_at(length.min(rest.len()));
            found[usize::from(*number) % NAMES.len()] = Some(content);
            data = after;
        }
        let there = || NAMES.iter().zip(found).filter_map(|(name, content)| Some((name, content?)));
        Self {
            names: there().map(|it| (*it.0).to_owned()).collect(),
            contents: there().map(|it| it.1.to_vec()).collect(),
        }
    }
}

impl Folder for Files {
    fn name(&self) -> &str {
        "fuzzed"
    }

    fn main(&self) -> &str {
        "t.otf2"
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        let at = self.names.iter().position(|it| it == name)?;
        Some(&self.contents[at])
    }
}

/// Counts events and checks that their ids are valid indices into the tables.
struct CheckingSink<'a> {
    definitions: &'a Definitions,
    events: u64,
}

impl EventSink for CheckingSink<'_> {
    fn event(&mut self, _: Ticks, _: EventKind, event: Event) {
        self.events += 1;
        let all = self.definitions;
        match event {
            Event::Enter { region } | Event::Leave { region } => assert!(region.index() < all.regions.len()),
            Event::MpiSend { communicator, .. } | Event::CollectiveEnd { communicator, .. } => {
                assert!(communicator.index() < all.communicators.len());
            }
            Event::TeamBegin { team } | Event::ThreadBegin { team, .. } => {
                assert!(team.index() < all.communicators.len());
            }
            Event::RmaGroupSync { window, group } => {
                assert!(window.index() < all.windows.len() && group.index() < all.groups.len());
            }
            _ => {}
        }
    }
}

fn check_tables(all: &Definitions) {
    for location in &all.locations {
        assert!(location.process.index() < all.processes.len());
    }
    for communicator in &all.communicators {
        let members = communicator.members.iter().chain(&communicator.remote).flatten();
        assert!(members.into_iter().all(|it| it.index() < all.locations.len()));
        assert!(communicator.parent.is_none_or(|it| it.index() < all.communicators.len()));
    }
    assert!(all.windows.iter().all(|it| it.communicator.index() < all.communicators.len()));
    assert!(all.clock.resolution > 0);
}

pub(super) fn fuzz(data: &[u8]) {
    let files = Files::parse(data);
    let Ok(input) = otf2::open(&files) else { return };
    check_tables(&input.definitions);
    assert_eq!(input.streams.len(), input.definitions.locations.len());
    for stream in &input.streams {
        for piece in 0..stream.chunks() {
            let mut sink = CheckingSink { definitions: &input.definitions, events: 0 };
            let end = stream.decode(piece, &mut sink);
            assert_eq!(end.events, sink.events);
            assert!(stream.expected_events(piece) <= data.len());
        }
    }
}
