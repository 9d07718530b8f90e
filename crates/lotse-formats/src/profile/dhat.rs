//! DHAT JSON, file versions 1 and 2: written by valgrind (heap, copy and ad hoc mode) and by the dhat crate.
//!
//! Every program point becomes one stack sample and one data structure with the same costs. Event types are only costs
//! that can be summed over points: totals, lifetimes, and what was held at the global maximum (`at_t_gmax`) and at the
//! end (`at_t_end`). The maximum of a single point (`mb`, `mbk`) cannot be summed and is left out.

mod depth;
mod document;

use lotse_model::bytes::Source;
use lotse_model::id::{NameId, PartId, StackId};
use lotse_model::profile::{Access, Builder, Costs, EventType, Frame, Part};
use lotse_model::{Profile, Unit, Workers};

use self::document::{DhatDocument, ProgramPoint};
use super::massif::frame::{self, parse_frame};
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::Reading;
use crate::shape::Shape;
use crate::text;

pub(crate) const FORMAT: Format =
    Format { id: "dhat", title: "DHAT JSON", extensions: &[], claim, reader: Reader::Profile(read) };

fn claim(source: &dyn Source) -> Confidence {
    let named = Shape::from_bytes(source.bytes()).has("dhatFileVersion");
    if named { Confidence::Certain } else { Confidence::No }
}

/// Reads the document up to where it breaks, and refuses unknown versions.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let (text, undecodable) = text::decode(source.bytes());
    let (document, damage) = DhatDocument::parse(text);
    if !matches!(document.version, 1 | 2) {
        if let Some(flaw) = damage {
            return Err(flaw.into_error(source.name()));
        }
        let (name, found) = (source.name().to_owned(), document.version.to_string());
        return Err(FormatError::Version { name, found, known: "versions 1 and 2" });
    }
    let mut diagnostics = Diagnostics::starting_with(damage.into_iter().chain(undecodable));
    let value = profile(&document, source.bytes().len(), &mut diagnostics);
    if let Some(note) = depth::note(&document) {
        diagnostics.note(Place::Whole, note);
    }
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// The number of accesses allowed in any file: a block has up to 1024 counters, and a few digits can set all of them.
const ACCESSES: usize = 1 << 14;
/// The number of accesses allowed per byte of the file: a point takes about 150 bytes.
const ACCESSES_PER_BYTE: usize = 8;

/// The cost of a program point for one event type, if the point has it.
type CostOfPoint = fn(&ProgramPoint) -> Option<u64>;

/// The event types of the document: the totals always, others where a point has them.
fn columns(document: &DhatDocument) -> Vec<(EventType, CostOfPoint)> {
    let bytes = document.bytes.as_deref().unwrap_or("bytes");
    let blocks = document.blocks.as_deref().unwrap_or("blocks");
    let unit = if bytes == "bytes" { Unit::Bytes } else { Unit::Count };
    let sized = |name: &str| EventType::new(&format!("{name}_{bytes}"), unit, 0);
    let counted = |name: &str| EventType::count(&format!("{name}_{blocks}"));
    let all: [(EventType, CostOfPoint); 9] = [
        (sized("total"), |point| Some(point.tb)),
        (counted("total"), |point| Some(point.tbk)),
        (sized("at_t_gmax"), |point| point.gb),
        (counted("at_t_gmax"), |point| point.gbk),
        (sized("at_t_end"), |point| point.eb),
        (counted("at_t_end"), |point| point.ebk),
        (lifetimes(&document.time), |point| point.tl),
        (sized("reads"), |point| point.rb),
        (sized("writes"), |point| point.wb),
    ];
    let is_used = |column: CostOfPoint| document.points.iter().any(|point| column(point).is_some());
    let always = 2;
    let used = all.into_iter().enumerate().filter(|&(at, (_, column))| at < always || is_used(column));
    used.map(|(_, column)| column).collect()
}

fn lifetimes(unit: &str) -> EventType {
    match seconds(unit) {
        Some(exponent) => EventType::new("lifetimes", Unit::Seconds, exponent),
        None => EventType::count("lifetimes"),
    }
}

fn seconds(unit: &str) -> Option<i8> {
    let known = [("s", 0), ("ms", -3), ("µs", -6), ("us", -6), ("ns", -9)];
    known.into_iter().find(|&(name, _)| name == unit).map(|(_, exponent)| exponent)
}

/// Makes the profile: for each program point one sample and one data structure. `size` is that of the file in bytes.
fn profile(document: &DhatDocument, size: usize, diagnostics: &mut Diagnostics) -> Profile {
    let mut builder = Builder::new();
    let (events, columns): (Vec<EventType>, Vec<CostOfPoint>) = columns(document).into_iter().unzip();
    let width = events.len();
    builder.profile.events = events;
    builder.profile.command = document.command.clone();
    builder.profile.creator = Some(format!("DHAT, {} mode", document.mode));
    builder.profile.data.costs = Costs::new(width, false);
    let mut part = Part::new("1", width, false);
    part.process = document.process;
    part.time = duration(document).map(|end| (0, end));
    let mut frames = DhatFrames { texts: &document.frames, known: vec![None; document.frames.len()] };
    let mut accesses_left = ACCESSES + size.saturating_mul(ACCESSES_PER_BYTE);
    for (number, point) in document.points.iter().enumerate() {
        let costs: Vec<u64> = columns.iter().map(|column| column(point).unwrap_or(0)).collect();
        let place = || Place::Path(format!("pps[{number}]"));
        let stack = frames.stack(point, &mut builder).unwrap_or_else(|frame| {
            diagnostics.loss(place(), format!("there is no frame {frame}; the stack is left out"));
            None
        });
        let accesses = accesses(&point.acc, &mut accesses_left).unwrap_or_else(|| {
            diagnostics.loss(place(), "more accesses than blocks of this kind have; they are left out");
            Vec::new()
        });
        part.samples.stack.push(stack);
        part.samples.costs.push(&costs);
        let data = &mut builder.profile.data;
        data.name.push(NameId(0));
        data.stack.push(stack);
        data.part.push(PartId(0));
        data.costs.push(&costs);
        data.accesses.push(accesses);
    }
    builder.profile.parts.push(part);
    builder.finish()
}

/// The run time in nanoseconds, where the file measures it in time and not in instructions.
fn duration(document: &DhatDocument) -> Option<i64> {
    let exponent = seconds(&document.time)?;
    let scale = 10_i64.pow(u32::try_from(9 + i32::from(exponent)).ok()?);
    i64::try_from(document.end?).ok()?.checked_mul(scale)
}

/// The table of frames; each text is parsed when it is first used.
struct DhatFrames<'a> {
    texts: &'a [String],
    known: Vec<Option<Frame>>,
}

impl DhatFrames<'_> {
    /// The stack of a point; the error is a frame that is not in the table. Frame 0 is the common root, which is left out.
    fn stack(&mut self, point: &ProgramPoint, builder: &mut Builder) -> Result<Option<StackId>, u32> {
        let numbers = point.fs.iter().filter(|&&number| number != 0);
        let frames: Result<Vec<Frame>, u32> =
            numbers.map(|&number| self.frame(number, builder).ok_or(number)).collect();
        Ok(frame::stack(&frames?, builder))
    }

    fn frame(&mut self, number: u32, builder: &mut Builder) -> Option<Frame> {
        let known = self.known.get_mut(number as usize)?;
        let text = &self.texts[number as usize];
        Some(*known.get_or_insert_with(|| parse_frame(text).frame(builder)))
    }
}

/// Decodes accesses by byte: a negative number says how often the next one is repeated, so `[-3, 2, 0, 7]` means
/// `[2, 2, 2, 0, 7]`. Bytes without accesses are left out; `left` bounds the rest.
fn accesses(encoded: &[i64], left: &mut usize) -> Option<Vec<Access>> {
    let mut found = Vec::new();
    let (mut offset, mut times) = (0_u64, 1_u64);
    for &number in encoded {
        let Ok(count) = u64::try_from(number) else {
            times = number.unsigned_abs();
            continue;
        };
        let end = offset.checked_add(times)?;
        if count > 0 {
            // A few digits can ask for more accesses than any real file has.
            let times = usize::try_from(times).ok()?.checked_add(found.len())?;
            *left = left.checked_add(found.len())?.checked_sub(times)?;
            found.extend((offset..end).map(|offset| Access { offset, count }));
        }
        (offset, times) = (end, 1);
    }
    Some(found)
}

#[cfg(test)]
mod tests;
