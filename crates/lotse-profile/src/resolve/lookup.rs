//! Asks the binaries about all addresses of a profile, object by object.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FunctionId, ObjectId};
use lotse_model::profile::{AddressSpace, Unresolved};
use lotse_symbols::{Binary, Function};

use super::binaries::Binaries;
use super::kernel;
use super::missing::Missing;
use super::wanted::Wanted;

/// No honest histogram lies across more functions altogether.
const MOST_PIECES: usize = 1 << 20;

/// What is known of the addresses.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// By the function that stood for an address.
    pub(super) answers: HashMap<FunctionId, Answer>,
    /// Where the program of a profile that does not name it was found.
    pub(super) program: Option<String>,
    /// What stays unknown, and why.
    pub(super) notes: Vec<String>,
}

/// What is known of an address or of some bytes.
#[derive(Debug)]
pub(super) enum Answer {
    /// Of one address.
    Point(Code),
    /// Of bytes that lie across functions.
    Range(Vec<Piece>),
    /// All such addresses of an object are one function of this name.
    Whole(String),
}

/// The part of some bytes that lies in one function.
#[derive(Debug)]
pub(super) struct Piece {
    /// What is there; `None` for bytes of no function.
    pub(super) code: Option<Code>,
    /// How many bytes.
    pub(super) bytes: u64,
}

/// The functions at an address.
#[derive(Debug)]
pub(super) struct Code {
    /// The address as the linker gave it.
    pub(super) address: u64,
    /// The compiled function, then those inlined into it; never empty.
    pub(super) frames: Vec<Named>,
}

/// A function, and where in it an address is.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) name: String,
    /// File and line of the definition, as far as known.
    pub(super) defined: (String, u32),
    /// File and line of the address.
    pub(super) place: (String, u32),
}

/// Looks all addresses up.
pub(super) fn lookup(profile: &Profile, binaries: &Binaries<'_>) -> Found {
    let mut found = Found::default();
    let mut pieces = 0;
    let mut nameless: Vec<&str> = Vec::new();
    for (object, waiting) in by_object(profile) {
        let wanted = Wanted::object(profile, object);
        if kernel::is_kernel(&wanted, &waiting) {
            kernel::answer(binaries.files, &wanted, &waiting, &mut found);
            continue;
        }
        let mut notes = Vec::new();
        let answered = binaries.with(&wanted, &mut notes, |binary, path| {
            if wanted.path.is_none() {
                found.program = Some(path.to_owned());
            }
            let mut asked = Asked::new(binary, &mut pieces);
            let before = found.answers.len();
            for it in &waiting {
                found.answers.extend(asked.answer(it).map(|answer| (it.function, answer)));
            }
            let nameless = waiting.len() - (found.answers.len() - before);
            (nameless > 0 && !binary.has_symbol_table()).then(|| stripped(path, nameless))
        });
        found.notes.append(&mut notes);
        match answered {
            Ok(stripped) => found.notes.extend(stripped),
            Err(missing) => match wanted.path.filter(|_| !wanted.is_file()) {
                Some(name) => nameless.push(name),
                None => found.notes.push(told(&wanted, &missing, waiting.len())),
            },
        }
    }
    if !nameless.is_empty() {
        found.notes.push(format!("addresses in {} keep no name: it is no file", nameless.join(", ")));
    }
    if pieces >= MOST_PIECES {
        found
            .notes
            .push("the histogram lies across too many functions; a part of it keeps no name".to_owned());
    }
    found
}

fn by_object(profile: &Profile) -> Vec<(ObjectId, Vec<Unresolved>)> {
    let mut objects: Vec<Vec<Unresolved>> = vec![Vec::new(); profile.objects.len()];
    for it in &profile.unresolved {
        objects[profile.functions.object[it.function.index()].index()].push(*it);
    }
    let waiting = objects.into_iter().enumerate().filter(|(_, waiting)| !waiting.is_empty());
    waiting.map(|(at, waiting)| (ObjectId::from(at), waiting)).collect()
}

fn stripped(path: &str, addresses: usize) -> String {
    let plural = if addresses == 1 { "address keeps" } else { "addresses keep" };
    format!(
        "{path} has no table of its functions (it is stripped): {addresses} {plural} no name; install its debug \
         information, or name a debuginfod server in DEBUGINFOD_URLS"
    )
}

fn told(wanted: &Wanted<'_>, missing: &Missing, addresses: usize) -> String {
    let plural = if addresses == 1 { "address keeps" } else { "addresses keep" };
    let (reason, remedy) = (missing.reason(wanted), missing.remedy(wanted));
    format!("{reason}: {addresses} {plural} no name; {remedy}")
}

/// Questions to one binary.
struct Asked<'a, 'data> {
    binary: &'a Binary<'data>,
    /// Beginnings of all functions, sorted.
    starts: Vec<u64>,
    definitions: HashMap<u64, (String, u32)>,
    pieces: &'a mut usize,
}

impl<'a, 'data> Asked<'a, 'data> {
    fn new(binary: &'a Binary<'data>, pieces: &'a mut usize) -> Self {
        let starts = binary.symbols().map(|symbol| symbol.address).collect();
        Self { binary, starts, definitions: HashMap::new(), pieces }
    }

    fn answer(&mut self, it: &Unresolved) -> Option<Answer> {
        let address = match it.space {
            AddressSpace::FileOffset => self.binary.address_of_offset(it.address)?,
            AddressSpace::Linked | AddressSpace::Kernel => it.address,
        };
        if it.extent <= 1 { self.code(address).map(Answer::Point) } else { self.range(address, it.extent) }
    }

    fn code(&mut self, address: u64) -> Option<Code> {
        let resolved = self.binary.resolve(address);
        // Debug information of functions that the linker threw away lies at addresses of nothing.
        if resolved.function.is_none() && !self.starts.is_empty() {
            return None;
        }
        let mut frames: Vec<Named> = Vec::with_capacity(resolved.frames.len());
        for frame in resolved.frames.into_iter().rev() {
            let name = frame.function.or_else(|| (!frames.is_empty()).then(|| format!("{address:#x}")))?;
            let place = told_place(frame.file.as_deref(), frame.line);
            let compiled = resolved.function.filter(|_| frames.is_empty());
            let defined = match compiled {
                Some(symbol) => self.definition(symbol),
                None => (place.0.clone(), 0),
            };
            frames.push(Named { name, defined, place });
        }
        (!frames.is_empty()).then_some(Code { address, frames })
    }

    /// A compiled function begins on the line of its definition.
    fn definition(&mut self, symbol: Function<'_>) -> (String, u32) {
        let binary = self.binary;
        let find = || match binary.resolve(symbol.address).frames.pop() {
            Some(first) => told_place(first.file.as_deref(), first.line),
            None => told_place(None, None),
        };
        self.definitions.entry(symbol.address).or_insert_with(find).clone()
    }

    /// As gprof does: a function reaches to the next one.
    fn range(&mut self, start: u64, extent: u64) -> Option<Answer> {
        let end = start.saturating_add(extent);
        let first = self.starts.partition_point(|&at| at <= start).saturating_sub(1);
        let last = self.starts.partition_point(|&at| at < end);
        *self.pieces = self.pieces.saturating_add(last.saturating_sub(first));
        if *self.pieces >= MOST_PIECES || last <= first {
            return None;
        }
        let mut pieces = Vec::new();
        let before = self.starts[first].saturating_sub(start).min(extent);
        pieces.extend((before > 0).then_some(Piece { code: None, bytes: before }));
        for at in first..last {
            let from = self.starts[at].max(start);
            let to = self.starts.get(at + 1).copied().unwrap_or(u64::MAX).min(end);
            let code = self.code_of(self.starts[at], from);
            pieces.push(Piece { code, bytes: to.saturating_sub(from) });
        }
        Some(Answer::Range(pieces))
    }

    /// Padding behind a function is counted as that function's.
    fn code_of(&mut self, function: u64, address: u64) -> Option<Code> {
        let inside = self.binary.function_at(address).is_some_and(|found| found.address == function);
        let code = self.code(if inside { address } else { function })?;
        Some(Code { address, ..code })
    }
}

/// The file without a name and line 0 stand for what is not known, as in a profile.
fn told_place(file: Option<&str>, line: Option<u32>) -> (String, u32) {
    (file.unwrap_or("").to_owned(), line.unwrap_or(0))
}
