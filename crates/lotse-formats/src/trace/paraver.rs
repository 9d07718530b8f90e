//! Paraver traces: a `.prv` of records, with names in a `.pcf` and a `.row` beside it.
//!
//! Events of the MPI and function types become calls: a value enters, 0 leaves. Communications become a send at the
//! logical send and a receive at the later of the logical and the physical receive, for that is when the receiver has
//! the message, whichever of Extrae and Dimemas wrote it. Collective operations are known where Extrae wrote their
//! communicator. States are calls only of threads without any other. What cannot be read is told and left out.
//!
//! The types, values and record layouts are those that Extrae writes.

mod calls;
mod header;
mod labels;
mod messages;
mod records;
mod world;

use lotse_model::bytes::{Folder, Memory, Source as _};
use lotse_model::trace::{Clock, Definitions};

use super::file::main_file;
use super::{Repair, Stream, TraceInput};
use crate::error::{Flaw, FormatError, Place};
use crate::json::Tally;
use crate::reading::{Diagnostic, Weight};
use crate::recognise::{Confidence, Format, Reader};
use crate::text;
use crate::unpack::unpack;

use calls::Calls;
use header::Header;
use labels::{Labels, Rows};
use messages::Messages;
use records::Record;
use world::World;

pub(crate) const FORMAT: Format = Format {
    id: "paraver",
    title: "Paraver",
    extensions: &["prv"],
    claim: |source| if begins(source.bytes()) { Confidence::Certain } else { Confidence::No },
    reader: Reader::Trace(open),
};

/// Opens a trace. A folder without a main file is searched for a `.prv`.
pub fn open(folder: &dyn Folder) -> Result<TraceInput<'static>, FormatError> {
    let main = main_file(folder, &[".prv", ".prv.gz"])?;
    let bytes = folder.bytes(main).unwrap_or(&[]);
    let packed = Memory { name: folder.name(), bytes };
    let (source, mut diagnostics) = unpack(&packed)?;
    let (text, flaw) = text::decode(source.bytes());
    diagnostics.extend(flaw.map(Diagnostic::from));
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let header = Header::parse(first).map_err(|flaw| flaw.of(source.name()))?;
    let stem = main.trim_end_matches(".gz").trim_end_matches(".prv");
    let labels = Labels::parse(&beside(folder, stem, ".pcf"));
    let rows = Rows::parse(&beside(folder, stem, ".row"));
    let mut reader = RecordReader::new(&header, labels, &rows);
    // Records start in the second line.
    (2..).zip(rest.lines()).for_each(|(line, text)| reader.line(line, text));
    Ok(reader.finish(&header, folder.name(), diagnostics))
}

/// A file of names; without it there are none.
fn beside(folder: &dyn Folder, stem: &str, ending: &str) -> String {
    let bytes = folder.bytes(&format!("{stem}{ending}")).unwrap_or(&[]);
    // Names in another encoding are better than none.
    String::from_utf8_lossy(bytes).into_owned()
}

struct RecordReader {
    world: World,
    calls: Calls,
    messages: Messages,
    tally: Tally,
}

impl RecordReader {
    fn new(header: &Header, labels: Labels, rows: &Rows) -> Self {
        let world = World::new(header, rows);
        Self { world, calls: Calls::new(labels), messages: Messages::default(), tally: Tally::default() }
    }

    fn line(&mut self, number: u64, text: &str) {
        let place = || format!("line {number}");
        match Record::parse(text) {
            Ok(None) => {}
            Ok(Some(Record::Communicator(communicator))) => self.world.communicator(&communicator),
            Ok(Some(Record::State { thread, begin, end, state })) => {
                let location = self.world.location(thread, &mut self.tally, place);
                self.calls.state(location, begin, end, state);
            }
            Ok(Some(Record::Events { thread, at, pairs })) => {
                let location = self.world.location(thread, &mut self.tally, place);
                self.calls.events(location, at, &pairs, thread.application, &self.world);
            }
            Ok(Some(Record::Message(message))) => {
                let from = self.world.location(message.from, &mut self.tally, place);
                let to = self.world.location(message.to, &mut self.tally, place);
                self.messages.add(&message, from, to);
            }
            Err(problem) => self.tally.loss(problem, place),
        }
    }

    fn finish(
        mut self,
        header: &Header,
        file: &str,
        mut diagnostics: Vec<Diagnostic>,
    ) -> TraceInput<'static> {
        let clock = Clock { resolution: header.resolution, offset: 0, length: header.length };
        let mut definitions = Definitions::new(clock);
        self.world.define(&mut definitions);
        let mut lists = self.calls.listed(definitions.locations.len(), &self.world, &mut self.tally);
        definitions.regions = self.calls.into_regions();
        self.messages.place(&mut lists, &self.world, &definitions, &mut self.tally);
        diagnostics.extend(self.tally.into_diagnostics());
        let repair = |Diagnostic { place, message, weight }| Repair {
            location: None,
            file: file.to_owned(),
            place,
            message,
            loss: weight == Weight::Loss,
        };
        let repairs = diagnostics.into_iter().map(repair).collect();
        let streams = lists.into_iter().map(Stream::Listed).collect();
        TraceInput { definitions, streams, format_id: FORMAT.id, repairs }
    }
}

/// Whether bytes are a Paraver trace.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"#Paraver"))
}

/// Something wrong with the first line.
fn head_flaw(problem: &str) -> Flaw {
    Flaw::new(Place::Line(1), problem)
}
