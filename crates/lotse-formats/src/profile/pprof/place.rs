//! Mappings, functions and locations of a pprof file become objects, functions and frames.

use hashbrown::HashMap;
use lotse_model::id::{FileId, FrameId, FunctionId, ObjectId};
use lotse_model::profile::{AddressSpace, BuildId, Builder, Frame, Unresolved, readable};

use super::message::Messages;
use super::wire::{Piece, Value};
use crate::error::{Flaw, Place};
use crate::oddities::Oddities;

/// Texts by number.
pub(super) struct Texts<'a>(pub(super) &'a [&'a [u8]]);

impl Texts<'_> {
    /// A text; one that is missing is named by its number.
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
struct Mapping {
    object: ObjectId,
    start: u64,
    limit: u64,
    offset: u64,
}

impl Mapping {
    /// That of a location which names none.
    const UNKNOWN: Self = Self { object: ObjectId(0), start: 0, limit: 0, offset: 0 };
}

/// Frames of each location, outermost first.
#[derive(Debug, Default)]
pub(super) struct Places {
    mappings: HashMap<u64, Mapping>,
    functions: HashMap<u64, [u64; 5]>,
    locations: HashMap<u64, Vec<FrameId>>,
}

impl Places {
    /// Reads all mappings, functions and locations.
    pub(super) fn new(messages: &Messages<'_>, builder: &mut Builder, oddities: &mut Oddities) -> Self {
        let texts = Texts(&messages.strings);
        let mut places = Self::default();
        for &piece in &messages.mappings {
            if let Err(flaw) = places.mapping(piece, &texts, builder, oddities) {
                // Only the name of the object is missing.
                oddities.note(flaw.place, format!("{}; the mapping is left out", flaw.problem));
            }
        }
        for &piece in &messages.functions {
            let function = piece.scalars().map(|function: [u64; 5]| {
                places.functions.insert(function[0], function);
            });
            keep(function, "function", oddities);
        }
        for &piece in &messages.locations {
            keep(places.location(piece, &texts, builder, oddities), "location", oddities);
        }
        places
    }

    /// The frames of a location; `None` where there is no such location.
    pub(super) fn frames(&self, location: u64) -> Option<&[FrameId]> {
        self.locations.get(&location).map(Vec::as_slice)
    }

    fn mapping(
        &mut self,
        piece: Piece<'_>,
        texts: &Texts<'_>,
        builder: &mut Builder,
        oddities: &mut Oddities,
    ) -> Result<(), Flaw> {
        let [id, start, limit, offset, file, build] = piece.scalars()?;
        let (path, digits) = (texts.get(file), texts.get(build));
        let build = BuildId::parse(&digits);
        if build.is_none() && !digits.is_empty() {
            let message =
                format!("the build id {digits:?} of {path} is no hexadecimal number; it is not used");
            oddities.note(Place::Byte(piece.at), message);
        }
        let object = builder.object_of_build(&path, build.as_ref());
        self.mappings.insert(id, Mapping { object, start, limit, offset });
        Ok(())
    }

    fn location(
        &mut self,
        piece: Piece<'_>,
        texts: &Texts<'_>,
        builder: &mut Builder,
        oddities: &mut Oddities,
    ) -> Result<(), Flaw> {
        let [id, mapping, address] = piece.scalars()?;
        let mapping = self.mappings.get(&mapping).copied().unwrap_or(Mapping::UNKNOWN);
        let mut frames = Vec::new();
        for field in piece.fields() {
            if let (4, Value::Bytes(line)) = field? {
                let [function, number] = line.scalars()?;
                let Some(&function) = self.functions.get(&function) else {
                    oddities.loss(Place::Byte(line.at), format!("there is no function {function}"));
                    continue;
                };
                if is_address(&texts.get(function[1]), address) {
                    continue;
                }
                let function = named(function, mapping.object, texts, builder);
                let file = builder.profile.functions.file[function.index()];
                let line = u32::try_from(number).unwrap_or(0);
                frames.push(Frame { function, file, line, address, inlined: true });
            }
        }
        match frames.last_mut() {
            Some(outermost) => outermost.inlined = false,
            None => frames.push(nameless(mapping, address, builder)),
        }
        self.locations.insert(id, frames.into_iter().rev().map(|frame| builder.frame(frame)).collect());
        Ok(())
    }
}

/// Whether a function stands for an address that nothing names; our own writer calls it so, for pprof shows no row
/// for a location without a function.
fn is_address(name: &str, address: u64) -> bool {
    address != 0 && name.split(' ').next() == Some(format!("{address:#x}").as_str())
}

fn keep(result: Result<(), Flaw>, what: &str, oddities: &mut Oddities) {
    if let Err(flaw) = result {
        oddities.loss(flaw.place, format!("{}; the {what} is left out", flaw.problem));
    }
}

fn named(
    [_, name, system, file, line]: [u64; 5],
    object: ObjectId,
    texts: &Texts<'_>,
    builder: &mut Builder,
) -> FunctionId {
    let name = if name == 0 { system } else { name };
    let file = builder.file(&texts.get(file));
    let place = (u32::try_from(line).unwrap_or(0), 0);
    builder.function_at(&texts.get(name), object, file, place)
}

/// A frame whose function has no name yet. Without a range the address is one of the linker's.
fn nameless(mapping: Mapping, address: u64, builder: &mut Builder) -> Frame {
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
