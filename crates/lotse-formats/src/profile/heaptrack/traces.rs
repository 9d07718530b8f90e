//! Strings, instruction pointers and traces become frames and stacks.
//!
//! Indices in the file count from 1; 0 is none. A record that cannot be read still counts, so that later indices fit.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{FileId, FrameId, FunctionId, ObjectId, StackId};
use lotse_model::profile::{AddressSpace, Builder, Frame, Unresolved};

use super::fields::Fields;

const UNKNOWN: &str = "an index points to nothing that came before";

/// A segment of a module in memory, up to `end`.
#[derive(Debug, Clone, Copy)]
struct MappedSegment {
    end: u64,
    /// The load address: what was added to the linker's addresses.
    base: u64,
    object: ObjectId,
}

/// Object, file and function of a frame; no function where it has no name.
#[derive(Debug, Clone, Copy)]
struct FrameNames {
    function: Option<FunctionId>,
    object: ObjectId,
    file: FileId,
}

/// The tables of the file.
#[derive(Debug, Default)]
pub(super) struct Traces {
    strings: Vec<String>,
    /// The frames of all instruction pointers, the innermost first, and where those of each pointer end.
    frames: Vec<FrameId>,
    ends: Vec<usize>,
    stacks: Vec<Option<StackId>>,
    /// Segments of modules by start address.
    segments: BTreeMap<u64, MappedSegment>,
    /// By the indices of function, module and file.
    known_names: HashMap<[u64; 3], FrameNames>,
    /// How many bytes of names may still be looked up: very many records could refer to one long name.
    names_left: usize,
    /// How many inlined frames may still be put on stacks: few bytes could ask for very many.
    inlined_left: usize,
}

impl Traces {
    /// Empty tables for a file of `size` bytes.
    pub(super) fn new(size: usize) -> Self {
        Self { inlined_left: size, names_left: size.saturating_mul(64), ..Self::default() }
    }

    /// Adds a string.
    pub(super) fn string(&mut self, text: Option<String>) -> Result<(), &'static str> {
        let (text, result) = match text {
            Some(text) => (text, Ok(())),
            None => (String::new(), Err("expected a text of the stated length")),
        };
        self.strings.push(text);
        result
    }

    /// Adds an instruction pointer with its module and, where known, functions, files and lines.
    pub(super) fn pointer(
        &mut self,
        mut fields: Fields<'_>,
        builder: &mut Builder,
    ) -> Result<(), &'static str> {
        let frames = self.frames_of(&mut fields, builder);
        let (found, result) =
            frames.map_or_else(|problem| (Vec::new(), Err(problem)), |found| (found, Ok(())));
        // The outermost frame is the function the others are inlined into.
        let last = found.len().saturating_sub(1);
        let inlined = found.into_iter().enumerate().map(|(at, frame)| Frame { inlined: at < last, ..frame });
        self.frames.extend(inlined.map(|frame| builder.frame(frame)));
        self.ends.push(self.frames.len());
        result
    }

    /// The frames of an instruction pointer, the innermost first: fields of function, file and line until the record ends.
    /// Without a function, the address is the name.
    fn frames_of(
        &mut self,
        fields: &mut Fields<'_>,
        builder: &mut Builder,
    ) -> Result<Vec<Frame>, &'static str> {
        let address = fields.number().ok_or("expected an address")?;
        let module = fields.number().unwrap_or(0);
        let mut frames = Vec::new();
        loop {
            let function = fields.number();
            let (file, line) = (fields.number(), fields.number());
            if function.is_none() && !frames.is_empty() {
                return Ok(frames);
            }
            let frame_names =
                self.frame_names([function.unwrap_or(0), module, file.unwrap_or(0)], builder)?;
            let FrameNames { function, object, file: id } = frame_names;
            let function = function.unwrap_or_else(|| builder.function(&format!("{address:#x}"), object, id));
            let line = line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
            frames.push(Frame { function, file: id, line, address, inlined: false });
            if file.is_none() {
                return Ok(frames);
            }
        }
    }

    /// Looks up names by their indices, within the budget of `names_left`.
    fn frame_names(&mut self, indices: [u64; 3], builder: &mut Builder) -> Result<FrameNames, &'static str> {
        if let Some(&known) = self.known_names.get(&indices) {
            return Ok(known);
        }
        let [function, module, file] = indices;
        let (name, module, file) = (self.text(function)?, self.text(module)?, self.text(file)?);
        let left = self.names_left.checked_sub(name.len() + module.len() + file.len());
        let left = left.ok_or("names are asked for more often than in a file of this size")?;
        let (object, file) = (builder.object(module), builder.file(file));
        let function = (!name.is_empty()).then(|| builder.function(name, object, file));
        let frame_names = FrameNames { function, object, file };
        self.names_left = left;
        self.known_names.insert(indices, frame_names);
        Ok(frame_names)
    }

    fn text(&self, index: u64) -> Result<&str, &'static str> {
        let Some(before) = index.checked_sub(1) else { return Ok("") };
        let text = usize::try_from(before).ok().and_then(|index| self.strings.get(index));
        text.map(String::as_str).ok_or(UNKNOWN)
    }

    /// Adds a module of a raw file: its load address, and pairs of address and length.
    pub(super) fn module(
        &mut self,
        path: &str,
        fields: &mut Fields<'_>,
        builder: &mut Builder,
    ) -> Result<(), &'static str> {
        let base = fields.number().ok_or("expected where the module was loaded")?;
        let object = builder.object(path);
        while let (Some(address), Some(length)) = (fields.number(), fields.number()) {
            let start = base.checked_add(address);
            let end = start.and_then(|start| start.checked_add(length));
            let (Some(start), Some(end)) = (start, end) else {
                return Err("the module ends beyond all addresses");
            };
            self.segments.insert(start, MappedSegment { end, base, object });
        }
        Ok(())
    }

    /// Forgets all modules of a raw file; the current ones follow.
    pub(super) fn forget_modules(&mut self) {
        self.segments.clear();
    }

    /// Adds a trace: the index of an instruction pointer, and the trace of the caller.
    pub(super) fn trace(
        &mut self,
        mut fields: Fields<'_>,
        builder: &mut Builder,
    ) -> Result<(), &'static str> {
        let result = self.stack_of(&mut fields, builder);
        self.stacks.push(result.unwrap_or(None));
        result.map(|_| ())
    }

    /// The stack of a trace: the stack of the caller's trace and the frames of the instruction pointer.
    fn stack_of(
        &mut self,
        fields: &mut Fields<'_>,
        builder: &mut Builder,
    ) -> Result<Option<StackId>, &'static str> {
        let pointer = fields.number().ok_or("expected an instruction pointer")?;
        let mut below = self.stack(fields.number().unwrap_or(0))?;
        let Some(pointer) = pointer.checked_sub(1) else { return Ok(below) };
        let pointer = usize::try_from(pointer).map_err(|_| UNKNOWN)?;
        let end = *self.ends.get(pointer).ok_or(UNKNOWN)?;
        let start = pointer.checked_sub(1).map_or(0, |before| self.ends[before]);
        let frames = &self.frames[start..end];
        let inlined = frames.len().saturating_sub(1);
        if inlined > self.inlined_left {
            return Err("more inlined frames than a file of this size has; the trace is left out");
        }
        self.inlined_left -= inlined;
        for &frame in frames.iter().rev() {
            below = Some(builder.stack(below, frame));
        }
        Ok(below)
    }

    /// Adds a trace of a raw file: an address, and the trace of the caller.
    pub(super) fn raw_trace(
        &mut self,
        mut fields: Fields<'_>,
        builder: &mut Builder,
    ) -> Result<(), &'static str> {
        let result = self.raw_stack(&mut fields, builder);
        self.stacks.push(result.unwrap_or(None));
        result.map(|_| ())
    }

    fn raw_stack(
        &self,
        fields: &mut Fields<'_>,
        builder: &mut Builder,
    ) -> Result<Option<StackId>, &'static str> {
        let address = fields.number().ok_or("expected an address")?;
        let below = self.stack(fields.number().unwrap_or(0))?;
        let frame = self.raw_frame(address, builder);
        Ok(Some(builder.stack(below, frame)))
    }

    fn raw_frame(&self, address: u64, builder: &mut Builder) -> FrameId {
        let before = self.segments.range(..=address).next_back();
        let segment = before.map(|(_, segment)| *segment).filter(|segment| address < segment.end);
        let Some(MappedSegment { base, object, .. }) = segment else {
            let function = builder.bare_function(&format!("{address:#x}"));
            return builder.bare_frame(function);
        };
        let linked = address - base;
        let known = builder.profile.functions.len();
        let function = builder.function(&format!("{linked:#x}"), object, Default::default());
        if builder.profile.functions.len() > known {
            let space = AddressSpace::Linked;
            builder.profile.unresolved.push(Unresolved { function, address: linked, extent: 1, space });
        }
        builder.frame(Frame { function, file: Default::default(), line: 0, address: linked, inlined: false })
    }

    /// The stack of a trace.
    pub(super) fn stack(&self, trace: u64) -> Result<Option<StackId>, &'static str> {
        let Some(before) = trace.checked_sub(1) else { return Ok(None) };
        let stack = usize::try_from(before).ok().and_then(|index| self.stacks.get(index));
        stack.copied().ok_or(UNKNOWN)
    }
}
