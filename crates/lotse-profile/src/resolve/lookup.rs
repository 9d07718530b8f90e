//! Looks up all addresses of a profile in the symbols and debug information of its binaries, object by object.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FunctionId, ObjectId};
use lotse_model::profile::{AddressSpace, Unresolved};
use lotse_symbols::{Binary, Function};

use super::binaries::Binaries;
use super::kernel;
use super::missing::MissingBinary;
use super::nameless::NamelessFunctions;
use super::wanted::WantedBinary;

/// The greatest number of pieces of all histogram ranges together; more are only in damaged files.
const MOST_PIECES: usize = 1 << 20;

/// The resolved addresses of a profile.
#[derive(Debug, Default)]
pub(super) struct ResolvedAddresses {
    /// By the placeholder function of the address.
    pub(super) answers: HashMap<FunctionId, ResolvedAddress>,
    /// The linked addresses of placeholders that have no function in a binary that was found: its code can be shown.
    pub(super) nameless: HashMap<FunctionId, u64>,
    /// The path of the program, for a profile that does not name it.
    pub(super) program: Option<String>,
    /// Notes which addresses stay unknown, and why.
    pub(super) notes: Vec<String>,
}

/// The functions at an address or in a range of addresses.
#[derive(Debug)]
pub(super) enum ResolvedAddress {
    /// A single address.
    Point(CodeFrames),
    /// A range, divided by function.
    Range(Vec<RangePiece>),
    /// All nameless addresses of the object are one function of this name.
    Whole(String),
}

/// The part of a range that lies in one function.
#[derive(Debug)]
pub(super) struct RangePiece {
    /// `None` for bytes of no function.
    pub(super) code: Option<CodeFrames>,
    pub(super) bytes: u64,
}

/// The functions at an address.
#[derive(Debug)]
pub(super) struct CodeFrames {
    /// The address in the binary, before relocation.
    pub(super) address: u64,
    /// The compiled function, then those inlined into it, outermost first; never empty.
    pub(super) frames: Vec<NamedFrame>,
}

/// A function, and the place of an address in it.
#[derive(Debug, Clone)]
pub(super) struct NamedFrame {
    pub(super) name: String,
    /// File and line of the definition; empty and 0 if unknown.
    pub(super) defined: (String, u32),
    /// File and line of the address.
    pub(super) place: (String, u32),
}

/// Looks up all addresses. Missing and stripped binaries get a note.
pub(super) fn lookup(profile: &Profile, binaries: &Binaries<'_>) -> ResolvedAddresses {
    let mut resolved = ResolvedAddresses::default();
    let mut pieces = 0;
    let mut nameless: Vec<&str> = Vec::new();
    for (object, unresolved) in by_object(profile) {
        let wanted = WantedBinary::object(profile, object);
        if kernel::is_kernel(&wanted, &unresolved) {
            kernel::resolve(binaries.files, &wanted, &unresolved, &mut resolved);
            continue;
        }
        let mut notes = Vec::new();
        let answered = binaries.with(&wanted, &mut notes, |binary, path| {
            if wanted.path.is_none() {
                resolved.program = Some(path.to_owned());
            }
            let mut lookup = BinaryLookup::new(binary, &mut pieces);
            let mut unnamed = NamelessFunctions::new(binary, wanted.path.unwrap_or(path));
            let mut nameless = 0;
            for it in &unresolved {
                if let Some(answer) = lookup.resolve(it) {
                    resolved.answers.insert(it.function, answer);
                } else if let Some(code) = lookup.single_address(it).and_then(|at| unnamed.code(at)) {
                    resolved.answers.insert(it.function, ResolvedAddress::Point(code));
                } else {
                    nameless += 1;
                    resolved.nameless.extend(lookup.single_address(it).map(|at| (it.function, at)));
                }
            }
            let example = unnamed.example();
            let is_stripped = (nameless > 0 || example.is_some()) && !binary.has_symbol_table();
            is_stripped.then(|| stripped_note(path, nameless, example))
        });
        resolved.notes.append(&mut notes);
        match answered {
            Ok(stripped) => resolved.notes.extend(stripped),
            Err(missing) => match wanted.path.filter(|_| !wanted.is_file()) {
                Some(name) => nameless.push(name),
                None => resolved.notes.push(missing_note(&wanted, &missing, unresolved.len())),
            },
        }
    }
    if !nameless.is_empty() {
        resolved.notes.push(format!("addresses in {} keep no name: it is not a file", nameless.join(", ")));
    }
    if pieces >= MOST_PIECES {
        resolved
            .notes
            .push("the histogram lies across too many functions; a part of it keeps no name".to_owned());
    }
    resolved
}

fn by_object(profile: &Profile) -> Vec<(ObjectId, Vec<Unresolved>)> {
    let mut objects: Vec<Vec<Unresolved>> = vec![Vec::new(); profile.objects.len()];
    for it in &profile.unresolved {
        objects[profile.functions.object[it.function.index()].index()].push(*it);
    }
    let unresolved = objects.into_iter().enumerate().filter(|(_, unresolved)| !unresolved.is_empty());
    unresolved.map(|(at, unresolved)| (ObjectId::from(at), unresolved)).collect()
}

fn stripped_note(path: &str, addresses: usize, example: Option<String>) -> String {
    let mut effects = Vec::new();
    if let Some(example) = example {
        effects.push(format!("its functions are named by their place in it, as {example}"));
    }
    if addresses > 0 {
        let plural = if addresses == 1 { "address keeps" } else { "addresses keep" };
        effects.push(format!("{addresses} {plural} no name"));
    }
    format!(
        "{path} has no table of its functions (it is stripped): {}; install its debug information, or name a \
         debuginfod server in DEBUGINFOD_URLS",
        effects.join(", and ")
    )
}

fn missing_note(wanted: &WantedBinary<'_>, missing: &MissingBinary, addresses: usize) -> String {
    let plural = if addresses == 1 { "address keeps" } else { "addresses keep" };
    let (reason, remedy) = (missing.reason(wanted), missing.remedy(wanted));
    format!("{reason}: {addresses} {plural} no name; {remedy}")
}

/// Looks up addresses in one binary.
struct BinaryLookup<'a, 'data> {
    binary: &'a Binary<'data>,
    /// The start addresses of all functions, sorted.
    starts: Vec<u64>,
    /// File and line of definitions, by the start address of the function.
    definitions: HashMap<u64, (String, u32)>,
    pieces: &'a mut usize,
}

impl<'a, 'data> BinaryLookup<'a, 'data> {
    fn new(binary: &'a Binary<'data>, pieces: &'a mut usize) -> Self {
        let starts = binary.symbols().map(|symbol| symbol.address).collect();
        Self { binary, starts, definitions: HashMap::new(), pieces }
    }

    /// Where the linker put what an address stands for.
    fn linked(&self, it: &Unresolved) -> Option<u64> {
        match it.space {
            AddressSpace::FileOffset => self.binary.address_of_offset(it.address),
            AddressSpace::Linked | AddressSpace::Kernel => Some(it.address),
        }
    }

    /// The linked address of a placeholder for one address.
    fn single_address(&self, it: &Unresolved) -> Option<u64> {
        self.linked(it).filter(|_| it.extent <= 1)
    }

    fn resolve(&mut self, it: &Unresolved) -> Option<ResolvedAddress> {
        let address = self.linked(it)?;
        if it.extent <= 1 {
            self.code(address).map(ResolvedAddress::Point)
        } else {
            self.range(address, it.extent)
        }
    }

    /// The functions at an address: the compiled one, then those inlined there.
    fn code(&mut self, address: u64) -> Option<CodeFrames> {
        let resolved = self.binary.resolve(address);
        // Functions that the linker removed may still have debug information, at addresses without code.
        if resolved.function.is_none() && !self.starts.is_empty() {
            return None;
        }
        let mut frames: Vec<NamedFrame> = Vec::with_capacity(resolved.frames.len());
        for frame in resolved.frames.into_iter().rev() {
            let name = frame.function.or_else(|| (!frames.is_empty()).then(|| format!("{address:#x}")))?;
            let place = known_place(frame.file.as_deref(), frame.line);
            let compiled = resolved.function.filter(|_| frames.is_empty());
            let defined = match compiled {
                Some(symbol) => self.definition(symbol),
                None => (place.0.clone(), 0),
            };
            frames.push(NamedFrame { name, defined, place });
        }
        (!frames.is_empty()).then_some(CodeFrames { address, frames })
    }

    /// The definition of a compiled function: the place of its first instruction.
    fn definition(&mut self, symbol: Function<'_>) -> (String, u32) {
        let binary = self.binary;
        let find = || match binary.resolve(symbol.address).frames.pop() {
            Some(first) => known_place(first.file.as_deref(), first.line),
            None => known_place(None, None),
        };
        self.definitions.entry(symbol.address).or_insert_with(find).clone()
    }

    /// Divides a range by function. As in gprof, a function extends to the start of the next one.
    fn range(&mut self, start: u64, extent: u64) -> Option<ResolvedAddress> {
        let end = start.saturating_add(extent);
        let first = self.starts.partition_point(|&at| at <= start).saturating_sub(1);
        let last = self.starts.partition_point(|&at| at < end);
        *self.pieces = self.pieces.saturating_add(last.saturating_sub(first));
        if *self.pieces >= MOST_PIECES || last <= first {
            return None;
        }
        let mut pieces = Vec::new();
        let before = self.starts[first].saturating_sub(start).min(extent);
        pieces.extend((before > 0).then_some(RangePiece { code: None, bytes: before }));
        for at in first..last {
            let from = self.starts[at].max(start);
            let to = self.starts.get(at + 1).copied().unwrap_or(u64::MAX).min(end);
            let code = self.code_of(self.starts[at], from);
            pieces.push(RangePiece { code, bytes: to.saturating_sub(from) });
        }
        Some(ResolvedAddress::Range(pieces))
    }

    /// The frames at an address; padding after a function counts as that function.
    fn code_of(&mut self, function: u64, address: u64) -> Option<CodeFrames> {
        let inside = self.binary.function_at(address).is_some_and(|symbol| symbol.address == function);
        let code = self.code(if inside { address } else { function })?;
        Some(CodeFrames { address, ..code })
    }
}

/// A file and line; as in profiles, an empty name and line 0 are unknown.
fn known_place(file: Option<&str>, line: Option<u32>) -> (String, u32) {
    (file.unwrap_or("").to_owned(), line.unwrap_or(0))
}
