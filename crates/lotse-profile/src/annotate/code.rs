//! The disassembly of a function from its binary, with costs, jumps and calls.

use std::ops::Range;

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;
use lotse_symbols::{Binary, Flow, Instruction};

use super::answer::{CodeAnswer, InstructionAnswer, JumpAnswer};
use super::gather::{CallSite, CountedJump, GatheredCosts};
use super::source::same_file;
use super::{AnnotateQuery, Show, costs, nameless, site_answers};
use crate::analysis::Analysis;
use crate::resolve::WantedBinary;

/// The greatest length that is disassembled, longer than any function a person reads: a symbol table can claim any length.
pub(super) const MOST_BYTES: u64 = 1 << 20;

/// The instructions of a function; if there are none, a note says why.
pub(super) fn code(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    found: &GatheredCosts,
    notes: &mut Vec<String>,
) -> Option<CodeAnswer> {
    let profile = analysis.profile;
    let wanted = WantedBinary::object(profile, profile.functions.object[query.function.index()]);
    let mut binary_notes = Vec::new();
    let mut guesses = Vec::new();
    let read = query.binaries.with(&wanted, &mut binary_notes, |binary, path| {
        let instructions = instructions(analysis, query, (found, &mut guesses), binary)?;
        Ok(CodeAnswer { binary: path.to_owned(), instructions })
    });
    notes.append(&mut binary_notes);
    notes.append(&mut guesses);
    let problem = match read {
        Ok(Ok(code)) => return Some(code),
        Ok(Err(problem)) => problem,
        Err(missing) => NoCode::Missing { reason: missing.reason(&wanted), remedy: missing.remedy(&wanted) },
    };
    notes.push(format!("no assembly: {problem}"));
    None
}

/// Why there is no assembly to show.
#[derive(Debug, thiserror::Error)]
enum NoCode {
    #[error("{reason}; {remedy}")]
    Missing { reason: String, remedy: &'static str },
    #[error(transparent)]
    Disassembly(#[from] lotse_symbols::SymbolError),
    #[error("the binary has no function {0}, and the profile has no addresses of its code")]
    NoFunction(String),
}

fn instructions(
    analysis: &Analysis<'_>,
    query: &AnnotateQuery<'_>,
    (found, notes): (&GatheredCosts, &mut Vec<String>),
    binary: &Binary<'_>,
) -> Result<Vec<InstructionAnswer>, NoCode> {
    let mut ranges = ranges(found, binary);
    let named = named_range(analysis, query.function, binary).filter(|_| ranges.is_empty());
    let is_named = named.is_some();
    ranges.extend(named);
    let mut decoded: Vec<Instruction> = Vec::new();
    for mut range in ranges {
        range.end = range.end.min(range.start.saturating_add(MOST_BYTES));
        decoded.extend(binary.disassemble_as(range, query.syntax)?);
    }
    if !is_named {
        decoded.extend(nameless::instructions(query, found, binary, notes)?);
    }
    // Stretches without a symbol may lie between functions.
    decoded.sort_by_key(|instruction| instruction.address);
    if decoded.is_empty() {
        let name = crate::names::display(analysis.profile, query.function);
        return Err(NoCode::NoFunction(name.into_owned()));
    }
    Ok(Listing::new(analysis, query, found, &decoded).answers(binary))
}

/// The address ranges of the symbols that contain the costs.
fn ranges(found: &GatheredCosts, binary: &Binary<'_>) -> Vec<Range<u64>> {
    let addresses = found.code.iter().map(|(address, _)| address);
    let mut ranges: Vec<Range<u64>> =
        addresses.filter_map(|at| Some(binary.function_at(at)?.range())).collect();
    ranges.sort_by_key(|range| range.start);
    ranges.dedup();
    ranges
}

/// The addresses of the symbol with the function's name.
fn named_range(analysis: &Analysis<'_>, function: FunctionId, binary: &Binary<'_>) -> Option<Range<u64>> {
    let name = analysis.profile.function_name(function);
    // callgrind distinguishes levels of a recursion by suffixes such as `'2`.
    let plain = name.rsplit_once('\'').map_or(name, |(plain, _)| plain);
    let named = binary.function_named(name).or_else(|| binary.function_named(plain));
    named.map(|function| function.range())
}

/// The instructions with what the profile knows of them.
struct Listing<'a> {
    analysis: &'a Analysis<'a>,
    query: &'a AnnotateQuery<'a>,
    found: &'a GatheredCosts,
    decoded: &'a [Instruction],
    /// Self costs by the number of the instruction.
    own: HashMap<usize, Vec<u64>>,
    jumps: HashMap<u64, Vec<&'a CountedJump>>,
    sites: HashMap<usize, Vec<&'a CallSite>>,
    files: Vec<String>,
}

impl<'a> Listing<'a> {
    fn new(
        analysis: &'a Analysis<'a>,
        query: &'a AnnotateQuery<'a>,
        found: &'a GatheredCosts,
        decoded: &'a [Instruction],
    ) -> Self {
        let mut listing = Self {
            analysis,
            query,
            found,
            decoded,
            own: HashMap::new(),
            jumps: HashMap::new(),
            sites: HashMap::new(),
            files: Vec::new(),
        };
        listing.fill_tables();
        listing
    }

    /// Assigns costs, jumps and calls to instructions.
    fn fill_tables(&mut self) {
        let profile = self.analysis.profile;
        let mut own = super::sums::KeyedCosts::new(profile.events.len(), profile.signed);
        for (address, costs) in self.found.code.iter() {
            if let Some(at) = self.instruction_at(address) {
                own.add(at, costs);
            }
        }
        self.own = own.iter().map(|(at, costs)| (at, costs.to_vec())).collect();
        for jump in &self.found.jumps {
            self.jumps.entry(jump.from).or_default().push(jump);
        }
        for site in &self.found.sites {
            if let Some(at) = self.instruction_at(site.place.address) {
                self.sites.entry(at).or_default().push(site);
            }
        }
        let lines = self.found.lines.iter().filter_map(|((file, _), _)| profile.file_name(file));
        let mut files: Vec<String> = lines.map(str::to_owned).collect();
        files.dedup();
        self.files = files;
    }

    /// The instruction that contains an address; samples and histograms need not hit its first byte.
    fn instruction_at(&self, address: u64) -> Option<usize> {
        let at = self.decoded.partition_point(|it| it.address <= address).checked_sub(1)?;
        let end = self.decoded[at].address.saturating_add(self.decoded[at].bytes.len() as u64);
        (address < end).then_some(at)
    }

    fn answers(&self, binary: &Binary<'_>) -> Vec<InstructionAnswer> {
        (0..self.decoded.len()).checked().map(|at| self.answer(at, binary)).collect()
    }

    fn answer(&self, at: usize, binary: &Binary<'_>) -> InstructionAnswer {
        let it = &self.decoded[at];
        let zero = || vec![0; self.analysis.profile.events.len()];
        let own = self.own.get(&at).cloned().unwrap_or_else(zero);
        let called = self.sites.get(&at).map_or(&[][..], Vec::as_slice);
        let (file, line) = self.place(it.address, binary);
        InstructionAnswer {
            address: it.address,
            bytes: it.bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            text: it.text.clone(),
            own: costs(self.analysis, self.query.columns, &own, None),
            file,
            line,
            jumps: self.jumps(it),
            calls: site_answers(self.analysis, self.query, called.iter().copied()),
        }
    }

    /// File and line of an instruction, from the profile or else from the binary's debug information.
    fn place(&self, address: u64, binary: &Binary<'_>) -> (Option<String>, Option<u32>) {
        if let Some(&(file, line)) = self.found.places.get(&address) {
            return (self.analysis.profile.file_name(file).map(str::to_owned), Some(line));
        }
        // Resolving every instruction takes time, and only views with assembly need it.
        let innermost = match self.query.show {
            Show::Source => None,
            _ => binary.resolve(address).frames.into_iter().next(),
        };
        let Some(frame) = innermost else { return (None, None) };
        (frame.file.map(|file| same_file(&file, &self.files).to_owned()), frame.line)
    }

    /// The jumps of an instruction: the counted ones of the profile, else the uncounted target of the disassembly.
    fn jumps(&self, it: &Instruction) -> Vec<JumpAnswer> {
        let counted = |jump: &&CountedJump| JumpAnswer {
            target: jump.to,
            executed: Some(jump.executed),
            taken: Some(jump.taken),
            conditional: jump.conditional,
        };
        if let Some(jumps) = self.jumps.get(&it.address) {
            return jumps.iter().map(counted).collect();
        }
        match it.flow {
            Flow::Jump { target: Some(target), conditional } => {
                vec![JumpAnswer { target, executed: None, taken: None, conditional }]
            }
            _ => Vec::new(),
        }
    }
}
