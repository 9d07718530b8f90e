//! Truncated, damaged and hostile histories: no panic, every diagnostic has a place, undamaged chunks are kept, and time
//! and memory are bounded by the size of the file.

use lotse_formats::history::{
    self, EventDetail, History, RecordingEnd, RecordingStart, SegmentEvents, Splitter,
};
use lotse_formats::{Place, claims, read_history, read_profile, read_results};
use lotse_model::bytes::{Memory, MemoryFolder};
use lotse_model::work::Sequential;
use lotse_wire::record::{Head, Spread, tag};

fn head(tag: u8, event: u16) -> u64 {
    Head { tag, detail: 8, event, counter: 0x40 }.word()
}

fn start() -> RecordingStart {
    RecordingStart {
        lotse: "0.1.0".to_owned(),
        recorder: "compile".to_owned(),
        command: vec!["cargo".to_owned(), "run".to_owned()],
        directory: "/tmp".to_owned(),
        compiler: None,
        structures: vec!["vec".to_owned()],
        min_bytes: 0,
    }
}

/// The words of a ring: a stack, and two segments of three events.
fn words() -> Vec<u64> {
    let mut words = vec![head(tag::STACK, 0), 2, 0x1000, 0x2000];
    for before in [0, 3] {
        words.extend([head(tag::SEGMENT, 0), before, 100 + before, 0, 0, 0, 0]);
        words.extend([head(tag::ALLOCATE, 0), 0x9000, 64, 1, 0x40]);
        words.extend([head(tag::STORE_RUN, 1), 0x9000, Spread { stride: 8, period: 1, further: 1 }.word()]);
    }
    words
}

fn complete_history() -> Vec<u8> {
    let mut bytes = [history::file_header(), history::start_chunk(&start())].concat();
    bytes.extend(history::process_chunk(7, 0, "1000-2000 r-xp 00000000 fe:00 1 /tmp/program\n"));
    let mut splitter = Splitter::new(7, 0);
    assert!(splitter.feed(&words(), &mut bytes));
    splitter.finish(&mut bytes);
    bytes.extend(history::end_chunk(&RecordingEnd {
        seconds: 1.5,
        status: Some(0),
        ..RecordingEnd::default()
    }));
    bytes
}

/// Reads a history; gives the number of events and of damaged segments.
fn read(bytes: &[u8]) -> Option<(usize, usize)> {
    let source = Memory { name: "bad", bytes };
    let reading = match read_history(&source) {
        Ok(reading) => reading,
        Err(error) => {
            assert!(error.to_string().starts_with("bad"), "{error}");
            return None;
        }
    };
    assert!(
        reading.diagnostics.iter().all(|it| matches!(it.place, Place::Byte(at) if at <= bytes.len() as u64))
    );
    let (mut events, mut all, mut damaged) = (SegmentEvents::default(), 0, 0);
    for segment in &reading.value.segments {
        damaged += usize::from(!segment.decode(&mut events));
        all += events.as_slice().len();
    }
    Some((all, damaged))
}

#[test]
fn what_was_written_is_read() {
    let bytes = complete_history();
    let reading = History::read("good", &bytes).unwrap();
    assert!(reading.complete() && reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    let history = reading.value;
    assert_eq!((history.start, history.end.unwrap().seconds), (Some(start()), 1.5));
    assert_eq!(history.stacks[&(7, 0)].stacks[&0x40], [0x1000, 0x2000]);
    let mut events = SegmentEvents::default();
    assert!(history.segments[1].decode(&mut events));
    let details: Vec<EventDetail> = events.as_slice().iter().map(|event| event.detail).collect();
    assert_eq!(details[0], EventDetail::Allocate { address: 0x9000, length: 64, epoch: 1, stack: 0x40 });
    assert_eq!(details[2], EventDetail::Store { address: 0x9008, size: 8 });
    assert_eq!(read(&bytes), Some((6, 0)));
}

/// A file of the first version, kept as it was written then.
#[test]
fn files_of_the_first_version_stay_readable() {
    assert_eq!(read(include_bytes!("../../../fuzz/corpus/history/seed-file-1")), Some((6, 0)));
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_the_cut() {
    let bytes = complete_history();
    let mut last = 0;
    for end in 0..bytes.len() {
        let Some((events, damaged)) = read(&bytes[..end]) else {
            assert!(end < 16, "a file with a complete header can be read: {end}");
            continue;
        };
        assert_eq!(damaged, 0, "a segment is complete or missing: {end}");
        assert!(events >= last, "more bytes, not fewer events: {end}");
        last = events;
        let reading = History::read("cut", &bytes[..end]).unwrap();
        assert!(!reading.diagnostics.is_empty(), "the cut is reported: {end}");
    }
    assert_eq!(last, 6);
}

#[test]
fn no_changed_bit_goes_unnoticed() {
    let bytes = complete_history();
    for bit in 0..bytes.len() * 8 {
        // Four bytes of the header are reserved for later versions.
        if (12 * 8..16 * 8).contains(&bit) {
            continue;
        }
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let Some((events, damaged)) = read(&changed) else { continue };
        let noticed = damaged > 0 || !History::read("changed", &changed).unwrap().diagnostics.is_empty();
        assert!(noticed, "bit {bit}");
        assert!(events <= 6, "bit {bit}: {events}");
    }
}

/// A history with one segment of these words.
fn with_segment(words: &[u64]) -> Vec<u8> {
    let mut bytes = history::file_header();
    let mut splitter = Splitter::new(7, 0);
    splitter.feed(&[head(tag::SEGMENT, 0), 0, 0, 0, 0, 0, 0], &mut bytes);
    splitter.feed(words, &mut bytes);
    splitter.finish(&mut bytes);
    bytes
}

#[test]
fn series_that_repeat_one_event_number_are_refused() {
    // Each is a series of 65,536 events with the same number; a thousand of them would be 65 million events.
    let series = [head(tag::LOAD_RUN, 5), 0x9000, Spread { stride: 8, period: 0, further: u16::MAX }.word()];
    let bytes = with_segment(&series.repeat(1000));
    assert_eq!(read(&bytes), Some((0, 1)));
    // A series that does not fit in its segment.
    let series = [head(tag::LOAD_RUN, 5), 0x9000, Spread { stride: 8, period: 9, further: u16::MAX }.word()];
    assert_eq!(read(&with_segment(&series)), Some((0, 1)));
}

#[test]
fn counts_without_their_content_cost_nothing() {
    let mut bytes = history::file_header();
    // A chunk header that states a length of 4 GiB.
    bytes.extend([4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    let reading = History::read("huge", &bytes).unwrap();
    assert_eq!(reading.diagnostics[0].place, Place::Byte(16));
    // The splitter refuses call stacks that are deeper than any real one.
    let mut out = Vec::new();
    assert!(!Splitter::new(1, 0).feed(&[head(tag::STACK, 0), u64::MAX], &mut out));
}

#[test]
fn other_commands_name_the_one_that_reads_it() {
    let bytes = complete_history();
    let source = Memory { name: "a.lotse-history", bytes: &bytes };
    assert_eq!(claims(&source).len(), 1);
    let expected =
        "a.lotse-history is a history of data structures (lotse-history): `lotse spy analyze` reads it";
    assert_eq!(read_profile(&source, None, &Sequential).unwrap_err().to_string(), expected);
    assert_eq!(read_results(&source, None).unwrap_err().to_string(), expected);
    let folder = MemoryFolder::alone("a.lotse-history", &bytes);
    assert_eq!(lotse_formats::trace::open::open(&folder, None).err().unwrap().to_string(), expected);
}

#[test]
fn what_is_no_history_is_refused_with_the_reason() {
    let refusal = |bytes: &[u8]| {
        let source = Memory { name: "it", bytes };
        read_history(&source).unwrap_err().to_string()
    };
    let nothing = "it is no history of data structures; `lotse spy run -- COMMAND` records one";
    assert_eq!(refusal(b""), nothing);
    assert_eq!(refusal(b"LTSHIST"), nothing);
    let cut = "it: byte 9: the file ends within its header of 16 bytes: nothing was recorded";
    assert_eq!(refusal(b"LTSHIST1\x01"), cut);
    assert_eq!(refusal(b"LTSHIST1\x09\0\0\0\0\0\0\0"), "it has the version 9; this Lotse reads 1 to 3");
    let callgrind = b"# callgrind format\nevents: Ir\nfn=main\n1 2\n";
    assert_eq!(refusal(callgrind), "it is a profile (callgrind): `lotse profile top` reads it");
}
