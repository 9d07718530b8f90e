//! From the tables of a processed profile to functions, frames and stacks.

use hashbrown::HashSet;
use lotse_model::id::{FrameId, FunctionId, ObjectId, StackId};
use lotse_model::profile::{AddressSpace, Builder, Frame, Unresolved};

use super::file::{FirefoxFile, FirefoxThread, Lib, SampleTable, Tables};
use super::parts::{ThreadSamples, stacks_of_table};
use crate::diagnostics::Diagnostics;
use crate::json::{Index, Number};
use crate::profile::gecko::location;

/// The functions, frames and stacks of tables, by row.
#[derive(Default)]
struct ConvertedTables {
    functions: Vec<FunctionId>,
    frames: Vec<FrameId>,
    stacks: Vec<Option<StackId>>,
}

/// Tables, and the shared ones to use where one is missing.
struct TableLookup<'a> {
    own: &'a Tables,
    shared: &'a Tables,
    libs: &'a [Lib],
    path: String,
}

/// The samples of all threads. Shared tables are converted first, for the threads that lack their own.
pub(super) fn threads(
    file: &FirefoxFile,
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
) -> Vec<ThreadSamples> {
    let mut converter = TableConverter { builder, diagnostics, unresolved: HashSet::new() };
    let shared =
        TableLookup { own: &file.shared, shared: &file.shared, libs: &file.libs, path: "shared".into() };
    let shared = converter.convert(&shared, &ConvertedTables::default());
    let mut threads = Vec::with_capacity(file.threads.len());
    for (number, thread) in file.threads.iter().enumerate() {
        let libs = if thread.libs.is_empty() { &file.libs } else { &thread.libs };
        let path = format!("threads[{number}]");
        let lookup = TableLookup { own: &thread.tables, shared: &file.shared, libs, path };
        let own = converter.convert(&lookup, &shared);
        let stacks = if own.stacks.is_empty() { &shared.stacks } else { &own.stacks };
        threads.push(thread_samples(thread, stacks, converter.diagnostics, &lookup.path));
    }
    threads
}

struct TableConverter<'a> {
    builder: &'a mut Builder,
    diagnostics: &'a mut Diagnostics,
    unresolved: HashSet<FunctionId>,
}

impl TableConverter<'_> {
    fn convert(&mut self, lookup: &TableLookup<'_>, shared: &ConvertedTables) -> ConvertedTables {
        let functions: Vec<FunctionId> =
            (0..lookup.own.functions.name.len()).map(|row| self.function(lookup, row)).collect();
        let known = if functions.is_empty() { &shared.functions } else { &functions };
        let frames: Vec<FrameId> =
            (0..lookup.own.frames.func.len()).map(|row| self.frame(lookup, row, known)).collect();
        let known = if frames.is_empty() { &shared.frames } else { &frames };
        let table = &lookup.own.stacks;
        let rows = (0..table.frame.len()).map(|row| (at(&table.prefix, row), at(&table.frame, row)));
        let stacks = stacks_of_table(rows, known, self.builder, self.diagnostics, &lookup.path);
        ConvertedTables { functions, frames, stacks }
    }

    fn function(&mut self, lookup: &TableLookup<'_>, row: usize) -> FunctionId {
        let table = &lookup.own.functions;
        let text = lookup.string(at(&table.name, row)).unwrap_or_else(|| {
            self.diagnostics.note_kind("the name of a function is missing", || {
                format!("{}.funcTable[{row}]", lookup.path)
            });
            "(unnamed)"
        });
        let (mut name, mut file) = (text, lookup.file(row).unwrap_or(""));
        let number = |column: &[Index]| at(column, row).map_or(0, |number| number as u32);
        let (mut line, mut column) = (number(&table.line), number(&table.column));
        // In old versions the name of a script's function contains its place.
        if file.is_empty() && table.is_js.get(row) == Some(&true) {
            let place = location::parse(text);
            (name, file, line, column) = (place.name, place.file, place.line, place.column);
        }
        let object = self.object(lookup, row);
        let file = self.builder.file(file);
        self.builder.function_at(name, object, file, (line, column))
    }

    fn object(&mut self, lookup: &TableLookup<'_>, row: usize) -> ObjectId {
        let lib = lookup.lib(row);
        let build = lib.and_then(Lib::build);
        self.builder.object_of_build(lib.map_or("", Lib::object), build.as_ref())
    }

    /// The frame of a row of the frame table.
    fn frame(&mut self, lookup: &TableLookup<'_>, row: usize, functions: &[FunctionId]) -> FrameId {
        let table = &lookup.own.frames;
        let known = at(&table.func, row).and_then(|func| functions.get(func)).copied();
        let function = known.unwrap_or_else(|| {
            self.diagnostics
                .note_kind("the function of a frame is missing; it counts as `(missing)`", || {
                    format!("{}.frameTable[{row}]", lookup.path)
                });
            self.builder.bare_function("(missing)")
        });
        let address = table.address.get(row).copied().and_then(Number::id);
        if let Some(address) = address {
            self.resolve_later(function, address);
        }
        let file = self.builder.profile.functions.file[function.index()];
        let line = at(&table.line, row).map_or(0, |line| line as u32);
        let inlined = at(&table.inline_depth, row).is_some_and(|depth| depth > 0);
        self.builder.frame(Frame { function, file, line, address: address.unwrap_or(0), inlined })
    }

    /// Registers a function named by its address, whose name can be found in the symbols of its library.
    fn resolve_later(&mut self, function: FunctionId, address: u64) {
        let functions = &self.builder.profile.functions;
        let (name, object) = (functions.name[function.index()], functions.object[function.index()]);
        let nameless = object.index() != 0 && self.builder.text(name).starts_with("0x");
        if nameless && self.unresolved.insert(function) {
            let unresolved = Unresolved { function, address, extent: 1, space: AddressSpace::Linked };
            self.builder.profile.unresolved.push(unresolved);
        }
    }
}

impl<'a> TableLookup<'a> {
    fn string(&self, index: Option<usize>) -> Option<&'a str> {
        let strings = if self.own.strings.is_empty() { &self.shared.strings } else { &self.own.strings };
        strings.get(index?).map(String::as_str)
    }

    fn file(&self, row: usize) -> Option<&'a str> {
        let table = &self.own.functions;
        let own = &self.own.sources.filename;
        let sources = if own.is_empty() { &self.shared.sources.filename } else { own };
        let name = at(&table.file, row).or_else(|| at(sources, at(&table.source, row)?));
        self.string(name)
    }

    fn lib(&self, row: usize) -> Option<&'a Lib> {
        let own = &self.own.resources.lib;
        let libs = if own.is_empty() { &self.shared.resources.lib } else { own };
        let lib = at(libs, at(&self.own.functions.resource, row)?)?;
        self.libs.get(lib)
    }
}

fn at(column: &[Index], row: usize) -> Option<usize> {
    column.get(row).and_then(|index| index.get())
}

/// The samples of a thread. A sample whose stack is missing counts without a stack.
fn thread_samples(
    thread: &FirefoxThread,
    stacks: &[Option<StackId>],
    diagnostics: &mut Diagnostics,
    path: &str,
) -> ThreadSamples {
    let samples = &thread.samples;
    let mut result = ThreadSamples {
        name: thread_name(thread),
        process: thread.pid.id(),
        thread: thread.tid.id(),
        times: times(samples, diagnostics, path),
        weights: samples.weight.clone(),
        weight_type: samples.weight_type.clone(),
        cpu: samples.cpu.clone(),
        ..ThreadSamples::default()
    };
    for (row, index) in samples.stack.iter().enumerate() {
        let stack = index.get().and_then(|index| stacks.get(index).copied().flatten());
        if stack.is_none() && index.get().is_some() {
            let place = || format!("{path}.samples.stack[{row}]");
            diagnostics.loss_kind("a sample names a stack that is missing; it counts without one", place);
        }
        result.stacks.push(stack);
    }
    result
}

fn thread_name(thread: &FirefoxThread) -> String {
    if thread.process_name.is_empty() {
        return thread.name.clone();
    }
    format!("{}: {}", thread.process_name, thread.name)
}

/// The times of samples in nanoseconds, from time stamps or from deltas.
fn times(samples: &SampleTable, diagnostics: &mut Diagnostics, path: &str) -> Vec<i64> {
    let stamped = !samples.time.is_empty();
    let column = if stamped { &samples.time } else { &samples.deltas };
    let mut now = 0_i64;
    let times = column.iter().enumerate().map(|(row, number)| {
        let time = number.nanos(6).unwrap_or_else(|| {
            diagnostics.note_kind("a sample has no time; that of the one before is taken", || {
                format!("{path}.samples[{row}]")
            });
            if stamped { now } else { 0 }
        });
        now = if stamped { time } else { now.saturating_add(time) };
        now
    });
    times.collect()
}
