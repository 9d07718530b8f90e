//! Turns mappings, functions and locations of a pprof file into objects, functions and frames.

use hashbrown::HashMap;
use lotse_model::id::{FileId, FrameId, FunctionId, ObjectId};
use lotse_model::profile::{AddressSpace, BuildId, Builder, Frame, Unresolved, readable};

use super::message::Messages;
use super::wire::{FieldValue, MessageBytes};
use crate::diagnostics::Diagnostics;
use crate::error::Place;
use crate::reading::Diagnostic;

/// The string table.
pub(super) struct StringTable<'a>(pub(super) &'a [&'a [u8]]);

impl StringTable<'_> {
    /// The string of an index; a placeholder where it is missing.
    pub(super) fn get(&self, index: u64) -> String {
        let text = usize::try_from(index).ok().and_then(|index| self.0.get(index));
        match text {
            Some(text) => readable(text).into_owned(),
            None if index == 0 => String::new(),
            None => format!("[string {index}]"),
        }
    }
}

/// An executable or library in memory.
#[derive(Debug, Clone, Copy)]
struct PprofMapping {
    object: ObjectId,
    start: u64,
    limit: u64,
    offset: u64,
}

impl PprofMapping {
    /// The mapping of a location that names none.
    const UNKNOWN: Self = Self { object: ObjectId(0), start: 0, limit: 0, offset: 0 };
}

/// Mappings, functions and locations by id.
#[derive(Debug, Default)]
pub(super) struct PprofLocations {
    mappings: HashMap<u64, PprofMapping>,
    /// Id, name, system name, file and line.
    functions: HashMap<u64, [u64; 5]>,
    /// Frames, outermost first.
    locations: HashMap<u64, Vec<FrameId>>,
}

impl PprofLocations {
    /// Reads all mappings, functions and locations.
    pub(super) fn new(messages: &Messages<'_>, builder: &mut Builder, diagnostics: &mut Diagnostics) -> Self {
        let texts = StringTable(&messages.strings);
        let mut places = Self::default();
        for &encoded in &messages.mappings {
            if let Err(flaw) = places.mapping(encoded, &texts, builder, diagnostics) {
                // Only the name of the object is missing.
                diagnostics.note(flaw.place, format!("{}; the mapping is left out", flaw.message));
            }
        }
        for &encoded in &messages.functions {
            let function = encoded.scalars().map(|function: [u64; 5]| {
                places.functions.insert(function[0], function);
            });
            report(function, "function", diagnostics);
        }
        for &encoded in &messages.locations {
            report(places.location(encoded, &texts, builder, diagnostics), "location", diagnostics);
        }
        places
    }

    /// The frames of a location; `None` where there is no such location.
    pub(super) fn frames(&self, location: u64) -> Option<&[FrameId]> {
        self.locations.get(&location).map(Vec::as_slice)
    }

    fn mapping(
        &mut self,
        encoded: MessageBytes<'_>,
        texts: &StringTable<'_>,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let [id, start, limit, offset, file, build] = encoded.scalars()?;
        let (path, digits) = (texts.get(file), texts.get(build));
        let build = BuildId::parse(&digits);
        if build.is_none() && !digits.is_empty() {
            let message =
                format!("the build id {digits:?} of {path} is not a hexadecimal number; it is not used");
            diagnostics.note(Place::Byte(encoded.at), message);
        }
        let object = builder.object_of_build(&path, build.as_ref());
        self.mappings.insert(id, PprofMapping { object, start, limit, offset });
        Ok(())
    }

    /// Adds a location: a frame per line, the innermost first in the file; without lines, a frame to be resolved later.
    fn location(
        &mut self,
        encoded: MessageBytes<'_>,
        texts: &StringTable<'_>,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let [id, mapping, address] = encoded.scalars()?;
        let mapping = self.mappings.get(&mapping).copied().unwrap_or(PprofMapping::UNKNOWN);
        let mut frames = Vec::new();
        for field in encoded.fields() {
            if let (4, FieldValue::Bytes(line)) = field? {
                let [function, number] = line.scalars()?;
                let Some(&function) = self.functions.get(&function) else {
                    diagnostics.loss(Place::Byte(line.at), format!("there is no function {function}"));
                    continue;
                };
                if is_address(&texts.get(function[1]), address) {
                    continue;
                }
                let function = named_function(function, mapping.object, texts, builder);
                let file = builder.profile.functions.file[function.index()];
                let line = u32::try_from(number).unwrap_or(0);
                frames.push(Frame { function, file, line, address, inlined: true });
            }
        }
        match frames.last_mut() {
            Some(outermost) => outermost.inlined = false,
            None => frames.push(unresolved_frame(mapping, address, builder)),
        }
        self.locations.insert(id, frames.into_iter().rev().map(|frame| builder.frame(frame)).collect());
        Ok(())
    }
}

/// Whether a function is only the name of its address. Lotse writes such functions, since pprof shows no row for a
/// location without a function.
fn is_address(name: &str, address: u64) -> bool {
    address != 0 && name.split(' ').next() == Some(format!("{address:#x}").as_str())
}

fn report(result: Result<(), Diagnostic>, what: &str, diagnostics: &mut Diagnostics) {
    if let Err(flaw) = result {
        diagnostics.loss(flaw.place, format!("{}; the {what} is left out", flaw.message));
    }
}

fn named_function(
    [_, name, system, file, line]: [u64; 5],
    object: ObjectId,
    texts: &StringTable<'_>,
    builder: &mut Builder,
) -> FunctionId {
    let name = if name == 0 { system } else { name };
    let file = builder.file(&texts.get(file));
    let place = (u32::try_from(line).unwrap_or(0), 0);
    builder.function_at(&texts.get(name), object, file, place)
}

/// A frame whose function has no name yet. Without a range in the mapping, the address is the linker's.
fn unresolved_frame(mapping: PprofMapping, address: u64, builder: &mut Builder) -> Frame {
    let (at, space) = if mapping.limit == 0 {
        (address, AddressSpace::Linked)
    } else {
        (address.wrapping_sub(mapping.start).wrapping_add(mapping.offset), AddressSpace::FileOffset)
    };
    let known = builder.profile.functions.len();
    let function = builder.function(&format!("{at:#x}"), mapping.object, FileId(0));
    if function.index() == known && mapping.object != ObjectId(0) {
        builder.profile.unresolved.push(Unresolved { function, address: at, extent: 1, space });
    }
    Frame { function, file: FileId(0), line: 0, address, inlined: false }
}
