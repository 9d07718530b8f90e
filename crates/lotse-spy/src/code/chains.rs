//! Finds the library operations that are active at a code address below given callers.
//!
//! The frames at an address, inlined ones included, and those of its callers are divided into stretches of library code and
//! of user code. Where user code calls the library, an operation begins:
//!
//! ```text
//! ptr::write <- Vec::push_mut <- Vec::push <- main::{closure} <- Map::fold <- main
//! ╰──────── library ───────────────────╯     ╰── user ─────╯    ╰ library ╯   ╰ user
//!                     operations: `push` at the closure's line, within `fold` at main's line
//! ```

use std::borrow::Cow;
use std::rc::Rc;

use hashbrown::{Equivalent, HashMap, HashSet};
use lotse_model::site::SourceSite;

use super::frame::{LengthChange, SourceFrame};
use super::image::Image;
use super::methods::{self, LibraryOperation};
use super::names::{self, ParsedMethod};
use super::variables::Variable;
use crate::container::Container;
use crate::instance::{Code, CodeId, CodeTable};

/// How many callers of a code place are kept.
const CALLERS: usize = 6;

/// Index of a [`Call`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallId(pub(crate) u32);

/// Index of a [`CallChain`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ChainId(pub(crate) u32);

/// A place where user code calls the library.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) code: CodeId,
    /// Whether it creates a structure together with its elements (`from_elem`): writing these is not an access.
    pub(crate) creates: bool,
    /// Whether it advances an iterator by one step. The read counts where the element is used, unless the step itself reads it.
    pub(crate) steps: bool,
    pub(crate) operation: Option<LibraryOperation>,
    /// Element size in bytes of the structure that it searches, where the method's name contains the type. The value searched
    /// for may be stored in another structure, which the size helps to recognise.
    pub(crate) searched: Option<u64>,
    /// The same for the row that it is a method of, whose fields may be in a row of rows.
    pub(crate) element: Option<u64>,
}

/// What is active at a code place.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallChain {
    /// Active calls from user code into the library, outermost first.
    pub(crate) calls: Vec<CallId>,
    /// The innermost line of user code; `None` where only library code runs.
    pub(crate) user: Option<CodeId>,
    /// Whether the innermost frame is library code.
    pub(crate) in_library: bool,
    /// What memory outside of structures is that is accessed here.
    pub(crate) variable: Variable,
    /// Whether the instruction has no line, because the compiler merged or generated it: then nothing is known about active calls.
    pub(crate) has_no_line: bool,
    /// Whether a method accesses the fields of its structure here, not elements or temporaries.
    pub(crate) uses_fields: bool,
    /// How the library changes the number of elements here, for containers whose memory accesses do not show it.
    pub(crate) change: Option<LengthChange>,
}

/// The structure that an allocation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) container: Container,
    pub(crate) element_size: u64,
    pub(crate) code: CodeId,
    /// Whether all places are filled with elements at once: `vec![0; n]`, `clone`.
    pub(crate) is_full: bool,
    /// Whether the line that creates it lists its elements: `vec![1, 2, 3]`.
    pub(crate) is_listed: bool,
}

/// Call chains of one process, and calls and code places of all processes.
#[derive(Debug, Default)]
pub(crate) struct ChainTables {
    pub(crate) codes: CodeTable,
    pub(crate) calls: Vec<Call>,
    pub(crate) chains: Vec<CallChain>,
    known_codes: HashMap<CodeKey<'static>, CodeId>,
    /// By code place: the library functions that it calls.
    known_calls: HashMap<CodeId, Vec<(String, CallId)>>,
}

/// A place in user code, and the library method that it calls.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CodeKey<'a> {
    method: Option<Cow<'a, str>>,
    file: Cow<'a, str>,
    function: Cow<'a, str>,
    line: u32,
    column: u32,
}

impl<'a> CodeKey<'a> {
    fn new(method: Option<&'a str>, user: Option<&'a SourceFrame>) -> Self {
        Self {
            method: method.map(Cow::Borrowed),
            file: user.map_or("", |frame| &frame.file).into(),
            function: user.map_or("", |frame| &frame.function).into(),
            line: user.map_or(0, |frame| frame.line),
            column: user.map_or(0, |frame| frame.column),
        }
    }

    fn owned(self) -> CodeKey<'static> {
        CodeKey {
            method: self.method.map(|method| method.into_owned().into()),
            file: self.file.into_owned().into(),
            function: self.function.into_owned().into(),
            ..self
        }
    }
}

/// A borrowed key for a lookup.
#[derive(Hash)]
struct CodeQuery<'a>(CodeKey<'a>);

impl Equivalent<CodeKey<'static>> for CodeQuery<'_> {
    fn equivalent(&self, key: &CodeKey<'static>) -> bool {
        self.0 == *key
    }
}

impl ChainTables {
    /// Adds the chain at an address below callers, whose return addresses are given innermost first.
    pub(crate) fn add(&mut self, image: &Image<'_>, place: Option<u64>, callers: &[u64]) -> ChainId {
        let lists = frames_of_each(image, place, callers);
        let chain = self.chain(&all_frames(&lists));
        self.chains.push(chain);
        ChainId((self.chains.len() - 1) as u32)
    }

    /// Walks the frames from the innermost outwards. Each maximal stretch of library frames that ends at a user frame is a call
    /// of that user frame into the library.
    fn chain(&mut self, frames: &[&SourceFrame]) -> CallChain {
        let mut calls = Vec::new();
        let mut library_start = 0;
        for at in 0..frames.len() {
            if frames[at].is_library {
                continue;
            }
            if at > library_start {
                calls.push(self.call(&frames[library_start..at], &frames[at..]));
            }
            library_start = at + 1;
        }
        calls.reverse();
        self.note_recursion(frames);
        let first_user = frames.iter().position(|frame| !frame.is_library);
        let inner = &frames[..first_user.unwrap_or(frames.len())];
        CallChain {
            calls,
            user: first_user.map(|at| self.code(None, &frames[at..])),
            in_library: frames.first().is_some_and(|frame| frame.is_library),
            variable: match first_user {
                None if !inner.is_empty() => Variable::Bookkeeping,
                _ => Variable::accessed_by(inner.iter().map(|frame| frame.function.as_str())),
            },
            has_no_line: frames.first().is_none_or(|frame| frame.line == 0),
            uses_fields: inner.first().is_some_and(|frame| frame.uses_fields),
            change: inner.iter().find_map(|frame| frame.change),
        }
    }

    /// Notes user functions that occur twice in a stack: they are recursive.
    fn note_recursion(&mut self, frames: &[&SourceFrame]) {
        let mut inner: HashSet<&str> = HashSet::new();
        for frame in frames.iter().filter(|frame| !frame.is_library) {
            if !inner.insert(&frame.function) && !self.codes.recursive.contains(&frame.function) {
                self.codes.recursive.insert(frame.function.clone());
            }
        }
    }

    /// The call from user code (`users`, the caller first) into a stretch of library frames (innermost first).
    fn call(&mut self, library: &[&SourceFrame], users: &[&SourceFrame]) -> CallId {
        let operation = library.iter().rev().find_map(|frame| frame.operation);
        let searched = || library.iter().rev().find_map(|frame| frame.searched);
        let outermost = library.last();
        let code = self.code(outermost.map(|frame| frame.method.as_str()), users);
        let function = outermost.map_or("", |frame| frame.function.as_str());
        let at_code = self.known_calls.entry(code).or_default();
        if let Some(&(_, known)) = at_code.iter().find(|(known, _)| known == function) {
            // What a call does may be known only from an inner frame: `collect` calls the structure's own method.
            let call = &mut self.calls[known.0 as usize];
            call.operation = call.operation.or(operation);
            call.searched = call.searched.or_else(searched);
            return known;
        }
        let method = names::parse_method(function);
        let (creates, steps) = (method.name == "from_elem", methods::is_step(&method));
        let element = outermost.and_then(|frame| frame.element);
        self.calls.push(Call { code, creates, steps, operation, searched: searched(), element });
        let id = CallId((self.calls.len() - 1) as u32);
        at_code.push((function.to_owned(), id));
        id
    }

    /// Whether two code places are on the same line.
    pub(crate) fn is_same_line(&self, a: CodeId, b: CodeId) -> bool {
        let line = |code| self.codes.site(code).map(|site| (site.line, &site.file));
        a == b || line(a) == line(b)
    }

    fn code(&mut self, method: Option<&str>, frames: &[&SourceFrame]) -> CodeId {
        let users = || frames.iter().copied().filter(|frame| !frame.is_library);
        let key = CodeQuery(CodeKey::new(method, users().next()));
        if let Some(&known) = self.known_codes.get(&key) {
            return known;
        }
        let chain = users().take(CALLERS).map(site).collect();
        let code = self.codes.add(Code { method: method.map(str::to_owned), chain });
        self.known_codes.insert(key.0.owned(), code);
        code
    }

    /// The structure that an allocation below these return addresses belongs to.
    pub(crate) fn owner(&mut self, image: &Image<'_>, callers: &[u64]) -> Option<Owner> {
        let lists = frames_of_each(image, None, callers);
        let frames = all_frames(&lists);
        let first_user = frames.iter().position(|frame| !frame.is_library)?;
        let (library, users) = frames.split_at(first_user);
        let methods = || library.iter().map(|frame| names::parse_method(&frame.function));
        let (container, element) = owner_among(methods().rev())?;
        let code = self.code(Some(&library.last()?.method), users);
        let inner = library.iter().find_map(|frame| vector_element(&frame.function));
        let element_size = match container {
            Container::String => 1,
            _ => element.or(inner).and_then(|name| image.size_of(name)).unwrap_or(0),
        };
        let is_listed = methods().any(|method| boxed_array(&method).is_some());
        let is_full =
            is_listed || methods().any(|method| ["from_elem", "to_vec", "clone"].contains(&method.name));
        Some(Owner { container, element_size, code, is_full, is_listed })
    }
}

/// The frames at an address and at each of its callers, and those of functions that were left by a jump in between.
fn frames_of_each(image: &Image<'_>, place: Option<u64>, callers: &[u64]) -> Vec<Rc<[SourceFrame]>> {
    let mut frames: Vec<_> = place.map(|place| image.frames(place)).into_iter().collect();
    let mut inner = place;
    for &address in callers {
        let caller = image.relative(address);
        if let (Some(inner), Some(caller)) = (inner, caller) {
            frames.extend(image.tail_jumps(inner, caller).into_iter().map(|jump| image.frames(jump)));
        }
        frames.extend(caller.map(|caller| image.frames(caller)));
        inner = caller;
    }
    frames
}

fn all_frames(lists: &[Rc<[SourceFrame]>]) -> Vec<&SourceFrame> {
    lists.iter().flat_map(|frames| frames.iter()).collect()
}

fn site(frame: &SourceFrame) -> SourceSite {
    let known = |number: u32| (number > 0).then_some(number);
    SourceSite {
        file: frame.file.clone(),
        line: known(frame.line),
        column: known(frame.column),
        function: Some(frame.function.clone()),
    }
}

/// The structure that library methods allocate for, and the type of its elements; the outermost method first.
///
/// The outermost container decides: a heap is stored in a vector, a set in a map. But the copy of an element is a structure of its
/// own: `vec![row; n]` and `rows.clone()` copy rows.
fn owner_among<'a>(methods: impl Iterator<Item = ParsedMethod<'a>>) -> Option<(Container, Option<&'a str>)> {
    let mut found = None;
    let mut held = "";
    for method in methods {
        let is_copy = method.trait_name == Some("Clone") && method.container.is_some();
        if found.is_none() || (is_copy && held.contains(method.receiver)) {
            found = owner_of(&method).or(found);
            held = match method.trait_name {
                Some("SpecFromElem") => method.receiver,
                _ => method.receiver.split_once('<').map_or("", |(_, parameters)| parameters),
            };
        }
    }
    found
}

/// The structure that a method of it allocates for, and the type of its elements.
fn owner_of<'a>(method: &ParsedMethod<'a>) -> Option<(Container, Option<&'a str>)> {
    if let Some(boxed) = boxed_array(method) {
        return Some(boxed);
    }
    // `vec![x; n]` calls a method of the type of its elements.
    if method.trait_name == Some("SpecFromElem") {
        return Some((Container::Vec, Some(method.receiver)));
    }
    // An iterator does not own the memory allocated below it; the structure collected from it does.
    if matches!(method.trait_name, Some("Iterator" | "DoubleEndedIterator" | "IntoIterator")) {
        return None;
    }
    let container = method
        .container
        .filter(|container| *container != Container::Slice)
        .or_else(|| inner_owner(method.receiver))?;
    Some((container, names::first_parameter(method.receiver)))
}

/// A boxed array, and the type of its elements; `vec![1, 2, 3]` begins as one.
fn boxed_array<'a>(method: &ParsedMethod<'a>) -> Option<(Container, Option<&'a str>)> {
    let array = method.receiver.strip_prefix("alloc::boxed::Box<[")?.strip_suffix("]>")?;
    let (element, _) = array.rsplit_once("; ")?;
    let container = if method.name == "new_uninit" { Container::Vec } else { Container::Slice };
    Some((container, Some(element)))
}

/// Internal library types that own the memory of containers.
fn inner_owner(receiver: &str) -> Option<Container> {
    if receiver.starts_with("alloc::raw_vec::RawVec") {
        Some(Container::Vec)
    } else if receiver.starts_with("hashbrown::") {
        Some(Container::HashMap)
    } else if receiver.contains("alloc::collections::btree::") {
        Some(Container::BTreeMap)
    } else {
        None
    }
}

/// The element type of a vector that grows in this function.
fn vector_element(function: &str) -> Option<&str> {
    let receiver = names::parse_method(function).receiver;
    receiver.starts_with("alloc::raw_vec::RawVec<").then(|| names::first_parameter(receiver)).flatten()
}

#[cfg(test)]
mod tests {
    use super::{boxed_array, owner_among, owner_of};
    use crate::code::names;
    use crate::container::Container;

    #[test]
    fn a_row_of_rows_has_rows_as_elements() {
        let method = names::parse_method(
            "<alloc::vec::Vec<u64> as alloc::vec::spec_from_elem::SpecFromElem>::from_elem::<alloc::alloc::Global>",
        );
        assert_eq!(owner_of(&method), Some((Container::Vec, Some("alloc::vec::Vec<u64>"))));
    }

    #[test]
    fn copies_of_elements_are_structures_of_their_own() {
        let owner = |functions: &[&'static str]| {
            owner_among(functions.iter().map(|function| names::parse_method(function))).unwrap()
        };
        const ROW: &str = "<alloc::vec::Vec<u64> as core::clone::Clone>::clone";
        let from_elem = "<alloc::vec::Vec<u64> as alloc::vec::spec_from_elem::SpecFromElem>::from_elem";
        let rows = "<alloc::vec::Vec<alloc::vec::Vec<u64>> as core::clone::Clone>::clone";
        let table =
            "<std::collections::hash::map::HashMap<u8, alloc::vec::Vec<u64>> as core::clone::Clone>::clone";
        for outer in [from_elem, rows, table] {
            assert_eq!(owner(&[outer, ROW]), (Container::Vec, Some("u64")), "{outer}");
        }
        assert_eq!(owner(&[rows]), (Container::Vec, Some("alloc::vec::Vec<u64>")));
        assert_eq!(owner(&[table]).0, Container::HashMap);
        let heap = "<alloc::collections::binary_heap::BinaryHeap<u64> as core::clone::Clone>::clone";
        assert_eq!(owner(&[heap, ROW]).0, Container::BinaryHeap, "it is stored in a vector");
        let texts = "<alloc::vec::Vec<alloc::string::String> as core::clone::Clone>::clone";
        let text = "<alloc::string::String as core::clone::Clone>::clone";
        let bytes = "<alloc::vec::Vec<u8> as core::clone::Clone>::clone";
        assert_eq!(owner(&[texts, text, bytes]).0, Container::String);
    }

    #[test]
    fn iterators_own_nothing() {
        let owner = |function| owner_of(&names::parse_method(function)).map(|(container, _)| container);
        assert_eq!(
            owner(
                "<alloc::collections::btree::map::IntoIter<u8, u8> as core::iter::traits::iterator::Iterator>::collect::<alloc::vec::Vec<(u8, u8)>>"
            ),
            None
        );
        assert_eq!(owner("<alloc::vec::Vec<u8>>::with_capacity"), Some(Container::Vec));
    }

    #[test]
    fn arrays_in_boxes_are_rows() {
        let found = |function| boxed_array(&names::parse_method(function));
        assert_eq!(
            found("<alloc::boxed::Box<[[u8; 2]; 3]>>::new_uninit"),
            Some((Container::Vec, Some("[u8; 2]")))
        );
        assert_eq!(found("<alloc::boxed::Box<[u32; 40]>>::new"), Some((Container::Slice, Some("u32"))));
        assert_eq!(found("<alloc::boxed::Box<u32>>::new"), None);
    }
}
