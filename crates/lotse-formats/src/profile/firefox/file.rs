//! A processed profile as in the file: tables as columns, which may differ in length where the file is damaged.

use lotse_model::Unit;
use lotse_model::profile::{BuildId, EventType};

use crate::json::{Fill, Index, Number};

/// Implements [`Fill`]: which field the value of a key is stored in.
macro_rules! fields {
    ($type:ty { $($key:literal $(| $other:literal)* => $field:ident),+ $(,)? }) => {
        impl Fill for $type {
            fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
                match key {
                    $($key $(| $other)* => Some(&mut self.$field),)+
                    _ => None,
                }
            }
        }
    };
}

#[derive(Debug, Default)]
pub(super) struct FirefoxFile {
    pub(super) meta: Meta,
    pub(super) libs: Vec<Lib>,
    pub(super) threads: Vec<FirefoxThread>,
    pub(super) shared: Tables,
}

fields!(FirefoxFile { "meta" => meta, "libs" => libs, "threads" => threads, "shared" => shared });

/// Properties of the recording.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    pub(crate) product: String,
    /// Milliseconds since 1970.
    pub(crate) start: Number,
    units: Units,
}

#[derive(Debug, Default)]
struct Units {
    cpu: String,
}

fields!(Meta { "product" => product, "startTime" => start, "sampleUnits" => units });
fields!(Units { "threadCPUDelta" => cpu });

impl Meta {
    /// The start of the recording, nanoseconds since 1970.
    pub(crate) fn recorded(&self) -> Option<i64> {
        self.start.nanos(6).filter(|&time| time > 0)
    }

    /// The event type of the column of CPU times.
    pub(crate) fn cpu_event(&self) -> EventType {
        let (unit, exponent) = match self.units.cpu.as_str() {
            "ns" => (Unit::Seconds, -9),
            "µs" | "μs" | "us" => (Unit::Seconds, -6),
            _ => (Unit::Count, 0),
        };
        let title = (unit == Unit::Count).then(|| self.units.cpu.clone()).filter(|unit| !unit.is_empty());
        EventType { title, ..EventType::new("threadCPUDelta", unit, exponent) }
    }
}

/// A library.
#[derive(Debug, Default)]
pub(crate) struct Lib {
    name: String,
    path: String,
    /// The build id of the linker; of a Windows program its time stamp and size.
    code_id: String,
    /// A GUID as a hexadecimal number, followed by its age.
    debug_id: String,
    pub(crate) start: Number,
    pub(crate) end: Number,
}

fields!(Lib {
    "name" => name,
    "path" => path,
    "codeId" => code_id,
    "breakpadId" => debug_id,
    "start" => start,
    "end" => end,
});

impl Lib {
    /// The path, or else the name.
    pub(crate) fn object(&self) -> &str {
        if self.path.is_empty() { &self.name } else { &self.path }
    }

    /// The build id: that of the linker, else the GUID by which symbol servers know the library.
    pub(crate) fn build(&self) -> Option<BuildId> {
        const GUID: usize = 32;
        let guid = self.debug_id.get(..GUID).and_then(BuildId::parse);
        let linked = || BuildId::parse(&self.code_id);
        if self.code_id.len() >= GUID { linked().or(guid) } else { guid.or_else(linked) }
    }
}

#[derive(Debug, Default)]
pub(super) struct FirefoxThread {
    pub(super) name: String,
    pub(super) process_name: String,
    pub(super) pid: Number,
    pub(super) tid: Number,
    pub(super) libs: Vec<Lib>,
    pub(super) samples: SampleTable,
    pub(super) tables: Tables,
}

impl Fill for FirefoxThread {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "processName" => Some(&mut self.process_name),
            "pid" => Some(&mut self.pid),
            "tid" => Some(&mut self.tid),
            "libs" => Some(&mut self.libs),
            "samples" => Some(&mut self.samples),
            _ => self.tables.field(key),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct SampleTable {
    pub(super) stack: Vec<Index>,
    /// Milliseconds.
    pub(super) time: Vec<Number>,
    /// Milliseconds since the previous sample.
    pub(super) deltas: Vec<Number>,
    pub(super) weight: Vec<Number>,
    pub(super) weight_type: String,
    pub(super) cpu: Vec<Number>,
}

fields!(SampleTable {
    "stack" => stack,
    "time" => time,
    "timeDeltas" => deltas,
    "weight" => weight,
    "weightType" => weight_type,
    "threadCPUDelta" => cpu,
});

/// The tables of a thread, or those all threads share.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) strings: Vec<String>,
    pub(super) stacks: StackTable,
    pub(super) frames: FrameTable,
    pub(super) functions: FuncTable,
    pub(super) resources: ResourceTable,
    pub(super) sources: SourceTable,
}

fields!(Tables {
    "stringArray" | "stringTable" => strings,
    "stackTable" => stacks,
    "frameTable" => frames,
    "funcTable" => functions,
    "resourceTable" => resources,
    "sources" => sources,
});

#[derive(Debug, Default)]
pub(super) struct StackTable {
    pub(super) prefix: Vec<Index>,
    pub(super) frame: Vec<Index>,
}

fields!(StackTable { "prefix" => prefix, "frame" => frame });

#[derive(Debug, Default)]
pub(super) struct FrameTable {
    pub(super) address: Vec<Number>,
    pub(super) inline_depth: Vec<Index>,
    pub(super) func: Vec<Index>,
    pub(super) line: Vec<Index>,
}

fields!(FrameTable { "address" => address, "inlineDepth" => inline_depth, "func" => func, "line" => line });

#[derive(Debug, Default)]
pub(super) struct FuncTable {
    pub(super) name: Vec<Index>,
    pub(super) resource: Vec<Index>,
    pub(super) file: Vec<Index>,
    pub(super) source: Vec<Index>,
    pub(super) line: Vec<Index>,
    pub(super) column: Vec<Index>,
    pub(super) is_js: Vec<bool>,
}

fields!(FuncTable {
    "name" => name,
    "resource" => resource,
    "fileName" => file,
    "source" => source,
    "lineNumber" => line,
    "columnNumber" => column,
    "isJS" => is_js,
});

#[derive(Debug, Default)]
pub(super) struct ResourceTable {
    pub(super) lib: Vec<Index>,
}

fields!(ResourceTable { "lib" => lib });

#[derive(Debug, Default)]
pub(super) struct SourceTable {
    pub(super) filename: Vec<Index>,
}

fields!(SourceTable { "filename" => filename });
