//! Reads Paraver traces: a `.prv` file with records, and `.pcf` and `.row` files with names.
//!
//! Events of the types for MPI and functions become calls: a value enters, 0 leaves. A communication becomes a send at
//! the time of the logical send and a receive at the later of the logical and the physical receive: then the receiver
//! has the message, both in traces of Extrae and of Dimemas. Collective operations are recognised if Extrae wrote
//! their communicator. States become calls only for threads without other calls. What cannot be read is left out and
//! reported.
//!
//! The types, values and record layouts are those that Extrae writes:
//!
//! ```text
//! 2:cpu:application:task:thread:time:type:value:type:value…
//! 2:1:1:2:1:1000:50000001:1        thread 1 of task 2 enters MPI_Send at 1000
//! 2:1:1:2:1:1500:50000001:0        and leaves it at 1500
//! ```

mod calls;
mod header;
mod labels;
mod messages;
mod records;
mod topology;

use lotse_model::bytes::{Folder, Memory, Source as _};
use lotse_model::trace::{Clock, Definitions};

use super::file::main_file;
use super::{EventStream, Repair, TraceInput};
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::{Diagnostic, Weight};
use crate::text;
use crate::unpack::unpack;

use calls::CallTable;
use header::ParaverHeader;
use labels::{ParaverLabels, RowNames};
use messages::MessageTable;
use records::ParaverRecord;
use topology::Topology;

pub(crate) const FORMAT: Format = Format {
    id: "paraver",
    title: "Paraver",
    extensions: &["prv"],
    claim: |source| if is_paraver(source.bytes()) { Confidence::Certain } else { Confidence::No },
    reader: Reader::Trace(open),
};

/// Opens a trace. In a folder without a main file, a `.prv` file is used.
pub fn open(folder: &dyn Folder) -> Result<TraceInput<'static>, FormatError> {
    let main = main_file(folder, &[".prv", ".prv.gz"])?;
    let bytes = folder.bytes(main).unwrap_or(&[]);
    let packed = Memory { name: folder.name(), bytes };
    let (source, mut diagnostics) = unpack(&packed)?;
    let (text, flaw) = text::decode(source.bytes());
    diagnostics.extend(flaw);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let header = ParaverHeader::parse(first).map_err(|flaw| flaw.into_error(source.name()))?;
    let stem = main.trim_end_matches(".gz").trim_end_matches(".prv");
    let labels = ParaverLabels::parse(&names_file(folder, stem, ".pcf"));
    let rows = RowNames::parse(&names_file(folder, stem, ".row"));
    let mut reader = RecordReader::new(&header, labels, &rows);
    // Records start on the second line.
    (2..).zip(rest.lines()).for_each(|(line, text)| reader.read_line(line, text));
    Ok(reader.finish(&header, folder.name(), diagnostics))
}

/// The text of a file with names; empty if the file is missing.
fn names_file(folder: &dyn Folder, stem: &str, ending: &str) -> String {
    let bytes = folder.bytes(&format!("{stem}{ending}")).unwrap_or(&[]);
    // Names in another encoding are better than no names.
    String::from_utf8_lossy(bytes).into_owned()
}

struct RecordReader {
    topology: Topology,
    calls: CallTable,
    messages: MessageTable,
    diagnostics: Diagnostics,
}

impl RecordReader {
    fn new(header: &ParaverHeader, labels: ParaverLabels, rows: &RowNames) -> Self {
        let topology = Topology::new(header, rows);
        Self {
            topology,
            calls: CallTable::new(labels),
            messages: MessageTable::default(),
            diagnostics: Diagnostics::default(),
        }
    }

    /// Reads a line with a record. A damaged line is left out and reported.
    fn read_line(&mut self, number: u64, text: &str) {
        let place = || format!("line {number}");
        match ParaverRecord::parse(text) {
            Ok(None) => {}
            Ok(Some(ParaverRecord::Communicator(communicator))) => {
                self.topology.add_communicator(&communicator)
            }
            Ok(Some(ParaverRecord::State { thread, begin, end, state })) => {
                let location = self.topology.location(thread, &mut self.diagnostics, place);
                self.calls.add_state(location, begin, end, state);
            }
            Ok(Some(ParaverRecord::Events { thread, at, pairs })) => {
                let location = self.topology.location(thread, &mut self.diagnostics, place);
                self.calls.add_events(location, at, &pairs, thread.application, &self.topology);
            }
            Ok(Some(ParaverRecord::Message(message))) => {
                let from = self.topology.location(message.from, &mut self.diagnostics, place);
                let to = self.topology.location(message.to, &mut self.diagnostics, place);
                self.messages.add(&message, from, to);
            }
            Err(problem) => self.diagnostics.loss_kind(problem, place),
        }
    }

    /// Builds the definitions and the event lists: calls with their collectives first, then messages placed among them.
    fn finish(
        mut self,
        header: &ParaverHeader,
        file: &str,
        mut diagnostics: Vec<Diagnostic>,
    ) -> TraceInput<'static> {
        let clock = Clock { resolution: header.resolution, offset: 0, length: header.length };
        let mut definitions = Definitions::new(clock);
        self.topology.define(&mut definitions);
        let mut lists =
            self.calls.events_by_location(definitions.locations.len(), &self.topology, &mut self.diagnostics);
        definitions.regions = self.calls.into_regions();
        self.messages.place_into(&mut lists, &self.topology, &definitions, &mut self.diagnostics);
        diagnostics.extend(self.diagnostics.into_vec());
        let repair = |Diagnostic { place, message, weight }| Repair {
            location: None,
            file: file.to_owned(),
            place,
            message,
            loss: weight == Weight::Loss,
        };
        let repairs = diagnostics.into_iter().map(repair).collect();
        let streams = lists.into_iter().map(EventStream::Listed).collect();
        TraceInput { definitions, streams, format_id: FORMAT.id, repairs }
    }
}

/// Whether the bytes begin like a Paraver trace.
pub(crate) fn is_paraver(bytes: &[u8]) -> bool {
    bytes.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"#Paraver"))
}

/// An error in the first line.
fn header_flaw(problem: &str) -> Diagnostic {
    Diagnostic::loss(Place::Line(1), problem)
}
