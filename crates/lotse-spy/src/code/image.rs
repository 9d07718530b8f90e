//! The executable of a recorded process: resolves addresses to frames and type names to sizes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashMap;
use lotse_formats::history::{StoredFlow, StoredNames, TailPath};
use lotse_symbols::{Binary, InlineFrame};

use super::flow::LoopFlow;
use super::frame::SourceFrame;
use super::sizes::size_of_type;
use super::stored;
use super::tails::{TailCalls, jumps_to};

/// An executable, loaded at a base address.
pub struct Image<'a> {
    names: NameSource<'a>,
    base: u64,
    end: u64,
    frames: RefCell<HashMap<u64, Rc<[SourceFrame]>>>,
    /// By return address; only if names are not stored.
    tails: RefCell<HashMap<u64, Vec<TailPath>>>,
}

/// Where names come from.
enum NameSource<'a> {
    /// The executable, the sizes of its types sorted by name, and the blocks of its functions.
    Binary(Box<Binary<'a>>, Vec<(String, u64)>, BTreeMap<u64, StoredFlow>),
    /// The names stored in the history.
    Stored(&'a StoredNames),
}

impl std::fmt::Debug for Image<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image").field("base", &self.base).finish_non_exhaustive()
    }
}

impl<'a> Image<'a> {
    /// An executable that was loaded at `base..end`.
    #[must_use]
    pub fn new(binary: Binary<'a>, base: u64, end: u64) -> Self {
        let sizes = stored::sorted_sizes(&binary);
        let flows = stored::flows(&binary);
        let names = NameSource::Binary(Box::new(binary), sizes, flows);
        Self { names, base, end, frames: RefCell::default(), tails: RefCell::default() }
    }

    /// An executable whose names are stored in the history.
    #[must_use]
    pub fn stored(names: &'a StoredNames, base: u64, end: u64) -> Self {
        Self {
            names: NameSource::Stored(names),
            base,
            end,
            frames: RefCell::default(),
            tails: RefCell::default(),
        }
    }

    /// The offset of a process address in the executable; `None` if it is outside.
    pub(crate) fn relative(&self, address: u64) -> Option<u64> {
        (self.base..self.end).contains(&address).then(|| address - self.base)
    }

    /// The frames of the call before a return address, innermost first.
    pub(crate) fn frames(&self, relative: u64) -> Rc<[SourceFrame]> {
        if let Some(known) = self.frames.borrow().get(&relative) {
            return Rc::clone(known);
        }
        let frames = match &self.names {
            NameSource::Binary(binary, ..) => binary.resolve(relative.saturating_sub(1)).frames,
            NameSource::Stored(names) => stored::frames(names, relative),
        };
        let size_of = |name: &str| self.size_of(name);
        let frames: Rc<[SourceFrame]> =
            frames.into_iter().map(|frame| SourceFrame::new(frame, size_of)).collect();
        self.frames.borrow_mut().insert(relative, Rc::clone(&frames));
        frames
    }

    /// The start of the compiled function that contains an address.
    pub(crate) fn function(&self, relative: u64) -> u64 {
        match &self.names {
            NameSource::Binary(binary, ..) => {
                binary.function_at(relative.saturating_sub(1)).map_or(0, |function| function.range().start)
            }
            NameSource::Stored(names) => stored::function(names, relative),
        }
    }

    /// The places of the jumps through which control went from the call before a return address to the function that contains
    /// `inner`, the innermost first: the functions that jumped have no frame.
    pub(crate) fn tail_jumps(&self, inner: u64, place: u64) -> Vec<u64> {
        let function = self.function(inner);
        match &self.names {
            NameSource::Binary(binary, ..) => {
                let mut tails = self.tails.borrow_mut();
                let paths = tails.entry(place).or_insert_with(|| TailCalls::new(binary).paths(place));
                jumps_to(function, paths).to_vec()
            }
            NameSource::Stored(names) => jumps_to(function, stored::tails_at(names, place)).to_vec(),
        }
    }

    /// The loops of a compiled function; `None` if it has none, or if its blocks are not known.
    pub(crate) fn flow(&self, function: u64) -> Option<LoopFlow> {
        let stored = match &self.names {
            NameSource::Binary(binary, _, flows) => {
                let flow = flows.get(&function)?.clone();
                return LoopFlow::new(&stored::with_carried(binary, flow));
            }
            NameSource::Stored(names) => stored::stored_flow(names, function),
        };
        LoopFlow::new(stored?)
    }

    /// The source lines of the code of a function with loops: for each line its block and its inlined frames, innermost first.
    pub(crate) fn code_lines(&self, function: u64) -> Vec<(u32, Vec<InlineFrame>)> {
        match &self.names {
            NameSource::Binary(binary, _, flows) => flows.get(&function).map_or_else(Vec::new, |flow| {
                stored::code_lines(binary, &stored::with_carried(binary, flow.clone()))
            }),
            NameSource::Stored(names) => stored::stored_lines(names, function),
        }
    }

    /// Size of a type in bytes, by its full name.
    pub(crate) fn size_of(&self, name: &str) -> Option<u64> {
        let name = name.trim();
        let sizes = match &self.names {
            NameSource::Binary(_, sizes, _) => sizes,
            NameSource::Stored(names) => &names.sizes,
        };
        size_of_type(sizes, name).or_else(|| size_of_array(name, |element| self.size_of(element)))
    }
}

/// The size of an array type such as `[u8; 3]`, which has no name in debug information.
fn size_of_array(name: &str, size_of: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let inside = name.strip_prefix('[')?.strip_suffix(']')?;
    let (element, count) = inside.rsplit_once("; ")?;
    size_of(element)?.checked_mul(count.trim_end_matches("usize").parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::size_of_array;

    #[test]
    fn arrays_have_sizes() {
        let sizes = |name: &str| (name == "u16").then_some(2);
        assert_eq!(size_of_array("[u16; 3]", sizes), Some(6));
        assert_eq!(size_of_array("[u8; 3]", sizes), None);
        assert_eq!(size_of_array("u16", sizes), None);
    }
}
