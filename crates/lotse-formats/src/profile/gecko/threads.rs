//! From the rows of a Gecko profile to samples. A frame is one text: an address, or a name with its place.

use lotse_model::id::{FrameId, ObjectId, StackId};
use lotse_model::profile::{AddressSpace, Builder, Frame, Unresolved};

use super::file::{GeckoProcess, GeckoThread};
use super::location;
use crate::diagnostics::Diagnostics;
use crate::json::Number;
use crate::profile::firefox::Lib;
use crate::profile::firefox::parts::{ThreadSamples, stacks_of_table};

/// The samples of all threads of all processes.
pub(super) fn samples(
    processes: &[GeckoProcess],
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
) -> Vec<ThreadSamples> {
    let clock = |process: &GeckoProcess| process.meta.start.scaled(6);
    let first = processes.first().and_then(clock);
    let mut threads = Vec::new();
    for (number, process) in processes.iter().enumerate() {
        let shift = clock(process).zip(first).map_or(0, |(own, first)| own.saturating_sub(first));
        let libs = Libs::new(&process.libs.value, builder);
        for (row, thread) in process.threads.iter().enumerate() {
            let path = format!("process {number}, threads[{row}]");
            threads.push(thread_samples(&thread.value, &libs, shift, builder, diagnostics, &path));
        }
    }
    threads
}

/// Address ranges of libraries, sorted by start.
struct Libs(Vec<(u64, u64, ObjectId)>);

impl Libs {
    fn new(libs: &[Lib], builder: &mut Builder) -> Self {
        let place = |lib: &Lib| {
            let (start, end) = (lib.start.id()?, lib.end.id()?);
            Some((start, end, builder.object_of_build(lib.object(), lib.build().as_ref())))
        };
        let mut libs: Vec<_> = libs.iter().filter_map(place).collect();
        libs.sort_by_key(|&(start, ..)| start);
        Self(libs)
    }

    /// The library at an address, and the address within it.
    fn find(&self, address: u64) -> Option<(ObjectId, u64)> {
        let after = self.0.partition_point(|&(start, ..)| start <= address);
        let &(start, end, object) = self.0.get(after.checked_sub(1)?)?;
        (address < end).then_some((object, address - start))
    }
}

/// The samples of a thread. A sample whose stack is missing counts without a stack.
fn thread_samples(
    thread: &GeckoThread,
    libs: &Libs,
    shift: i128,
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
    path: &str,
) -> ThreadSamples {
    let stacks = stacks(thread, libs, builder, diagnostics, path);
    let mut result = ThreadSamples {
        name: thread_name(thread),
        process: thread.pid.id(),
        thread: thread.tid.id(),
        times: times(thread, shift, diagnostics, path),
        cpu: thread.samples.column("threadCPUDelta"),
        ..ThreadSamples::default()
    };
    for (row, number) in thread.samples.column("stack").into_iter().enumerate() {
        let stack = index(number).and_then(|index| stacks.get(index).copied().flatten());
        if stack.is_none() && number != Number::Missing {
            let place = || format!("{path}.samples[{row}]");
            diagnostics.loss_kind("a sample names a stack that is missing; it counts without one", place);
        }
        result.stacks.push(stack);
    }
    result
}

/// The times of samples, nanoseconds on the clock of the first process.
fn times(thread: &GeckoThread, shift: i128, diagnostics: &mut Diagnostics, path: &str) -> Vec<i64> {
    let mut now = 0;
    let times = thread.samples.column("time").into_iter().enumerate().map(|(row, number)| {
        let time = number.scaled(6).and_then(|time| i64::try_from(time.saturating_add(shift)).ok());
        now = time.unwrap_or_else(|| {
            diagnostics.note_kind("a sample has no time; that of the one before is taken", || {
                format!("{path}.samples[{row}]")
            });
            now
        });
        now
    });
    times.collect()
}

fn thread_name(thread: &GeckoThread) -> String {
    if thread.process_name.is_empty() {
        return thread.name.clone();
    }
    format!("{}: {}", thread.process_name, thread.name)
}

fn index(number: Number) -> Option<usize> {
    number.id().and_then(|id| usize::try_from(id).ok())
}

/// The stack of each row of the stack table.
fn stacks(
    thread: &GeckoThread,
    libs: &Libs,
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
    path: &str,
) -> Vec<Option<StackId>> {
    let (locations, lines) = (thread.frames.column("location"), thread.frames.column("line"));
    let mut frames = Vec::with_capacity(locations.len());
    for (row, (location, line)) in locations.into_iter().zip(lines).enumerate() {
        let text = index(location).and_then(|index| thread.strings.get(index)).map(String::as_str);
        let text = text.unwrap_or_else(|| {
            diagnostics.note_kind("the name of a frame is missing", || format!("{path}.frameTable[{row}]"));
            "(missing)"
        });
        frames.push(frame(text, line, libs, builder));
    }
    let (prefixes, tops) = (thread.stacks.column("prefix"), thread.stacks.column("frame"));
    let rows = prefixes.into_iter().map(index).zip(tops.into_iter().map(index));
    stacks_of_table(rows, &frames, builder, diagnostics, path)
}

fn frame(text: &str, line: Number, libs: &Libs, builder: &mut Builder) -> FrameId {
    let address = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if let Some(address) = address {
        return native(text, address, libs, builder);
    }
    let place = location::parse(text);
    let (object, file) = (builder.object(""), builder.file(place.file));
    let function = builder.function_at(place.name, object, file, (place.line, place.column));
    builder.frame(Frame { function, file, line: line.line(), address: 0, inlined: false })
}

/// A frame of which only the address is known. Its function is looked up in the symbols of its library later.
fn native(text: &str, address: u64, libs: &Libs, builder: &mut Builder) -> FrameId {
    let (object, within) = libs.find(address).unwrap_or((ObjectId(0), address));
    let file = builder.file("");
    let before = builder.profile.functions.len();
    let function = builder.function(text, object, file);
    if function.index() == before && object.index() != 0 {
        let unresolved = Unresolved { function, address: within, extent: 1, space: AddressSpace::Linked };
        builder.profile.unresolved.push(unresolved);
    }
    builder.frame(Frame { function, file, line: 0, address: within, inlined: false })
}
