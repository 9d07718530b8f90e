//! Builds the profile again with the resolved functions: stacks grow by inlined functions, rows of self costs and calls
//! become those of the compiled functions, and ranges of a histogram are divided among functions in proportion to their
//! bytes.

use hashbrown::{HashMap, HashSet};
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId, StackId};
use lotse_model::profile::{
    Builder, Calls, CodePosition, Costs, DataStructures, Detail, Details, EntryCalls, Frame, InclusiveCosts,
    Part, Samples, SelfCosts, Unresolved,
};

use super::lookup::{CodeFrames, ResolvedAddress, ResolvedAddresses};
use super::share::divide_row;

/// An unknown place.
const NOWHERE: CodePosition = CodePosition { file: FileId(0), line: 0, address: 0 };

/// What a function of the old profile is replaced by.
enum Replacement {
    /// The same function with a new id.
    Kept(FunctionId),
    /// Itself, at this address of a binary that does not name it.
    Nameless(FunctionId, u64),
    /// The compiled function, then those inlined into it.
    Frames(Vec<Frame>),
    /// The functions of a range, with the bytes of each.
    Pieces(Vec<(Frame, u64)>),
    /// The function for all nameless addresses of an object.
    Whole(Frame),
}

impl Replacement {
    /// The compiled function.
    fn compiled(&self) -> FunctionId {
        match self {
            Self::Kept(function) | Self::Nameless(function, _) => *function,
            Self::Frames(frames) => frames[0].function,
            Self::Pieces(pieces) => pieces[0].0.function,
            Self::Whole(frame) => frame.function,
        }
    }

    /// The place of its address in the source, from the innermost function.
    fn place(&self) -> Option<CodePosition> {
        let frame = match self {
            Self::Kept(_) | Self::Nameless(..) | Self::Whole(_) => return None,
            Self::Frames(frames) => frames.last()?,
            Self::Pieces(pieces) => &pieces.first()?.0,
        };
        Some(CodePosition { file: frame.file, line: frame.line, address: frame.address })
    }
}

/// Replaces the placeholder functions of a profile in all its tables.
pub(super) fn rebuild(old: &Profile, found: &ResolvedAddresses) -> Profile {
    let mut rebuild = ProfileRebuild::new(old, found);
    let stacks = rebuild.stacks();
    let mut detail = rebuild.detail();
    let parts: Vec<Part> = (0..old.parts.len()).map(|at| rebuild.part(at, &stacks, &mut detail)).collect();
    let data = rebuild.data(&stacks);
    let mut builder = rebuild.builder;
    builder.profile.parts = parts;
    builder.profile.data = data;
    builder.profile.details = Details::Loaded(Box::new(detail));
    builder.finish()
}

struct ProfileRebuild<'a> {
    old: &'a Profile,
    builder: Builder,
    /// The new id of each file.
    files: Vec<FileId>,
    /// The replacement of each function.
    replacements: Vec<Replacement>,
}

impl<'a> ProfileRebuild<'a> {
    fn new(old: &'a Profile, found: &ResolvedAddresses) -> Self {
        let mut builder = Builder::new();
        let new = &mut builder.profile;
        new.events = old.events.clone();
        new.default_event = old.default_event;
        new.formulas = old.formulas.clone();
        (new.signed, new.recorded) = (old.signed, old.recorded);
        (new.command, new.creator) = (old.command.clone(), old.creator.clone());
        let files = old.files.iter().map(|&name| builder.file(old.text(name))).collect();
        let mut rebuild = Self { old, builder, files, replacements: Vec::with_capacity(old.functions.len()) };
        for function in old.functions.ids() {
            let replacement = rebuild.replacement(function, found);
            rebuild.replacements.push(replacement);
        }
        rebuild.keep_unresolved(found);
        rebuild
    }

    /// What a function is replaced by; adds the new functions to the profile.
    fn replacement(&mut self, function: FunctionId, found: &ResolvedAddresses) -> Replacement {
        match found.answers.get(&function) {
            None => {
                let kept = self.keep_function(function);
                found
                    .nameless
                    .get(&function)
                    .map_or(Replacement::Kept(kept), |&at| Replacement::Nameless(kept, at))
            }
            Some(answer) => {
                let object = self.object(function, found.program.as_deref());
                match answer {
                    ResolvedAddress::Point(code) => Replacement::Frames(self.frames(code, object)),
                    ResolvedAddress::Range(pieces) => {
                        let frames = pieces.iter().map(|piece| match &piece.code {
                            Some(code) => (self.piece_frame(code, object), piece.bytes),
                            None => (self.unknown_frame(function), piece.bytes),
                        });
                        Replacement::Pieces(frames.collect())
                    }
                    ResolvedAddress::Whole(name) => {
                        let function = self.builder.function(name, object, FileId(0));
                        let (file, line, address) = (FileId(0), 0, 0);
                        Replacement::Whole(Frame { function, file, line, address, inlined: false })
                    }
                }
            }
        }
    }

    /// The new id of a function's object, which is the program if the profile does not name it.
    fn object(&mut self, function: FunctionId, program: Option<&str>) -> ObjectId {
        let object = self.old.functions.object[function.index()];
        let path = self.old.object_name(object).or(program).unwrap_or("");
        self.builder.object_of_build(path, self.old.build(object))
    }

    fn keep_function(&mut self, function: FunctionId) -> FunctionId {
        let functions = &self.old.functions;
        let object = self.object(function, None);
        let file = self.files[functions.file[function.index()].index()];
        let place = (functions.line[function.index()], functions.column[function.index()]);
        self.builder.function_at(self.old.function_name(function), object, file, place)
    }

    fn unknown_frame(&mut self, function: FunctionId) -> Frame {
        Frame { function: self.keep_function(function), file: FileId(0), line: 0, address: 0, inlined: false }
    }

    /// Adds the functions at an address to the profile, and returns their frames.
    fn frames(&mut self, code: &CodeFrames, object: ObjectId) -> Vec<Frame> {
        let mut frames = Vec::with_capacity(code.frames.len());
        for named in &code.frames {
            let file = self.builder.file(&named.defined.0);
            let function = self.builder.function(&named.name, object, file);
            let line = &mut self.builder.profile.functions.line[function.index()];
            *line = if *line == 0 { named.defined.1 } else { *line };
            frames.push(Frame {
                function,
                file: self.builder.file(&named.place.0),
                line: named.place.1,
                address: code.address,
                inlined: !frames.is_empty(),
            });
        }
        frames
    }

    /// The compiled function, at the place of the innermost one.
    fn piece_frame(&mut self, code: &CodeFrames, object: ObjectId) -> Frame {
        let frames = self.frames(code, object);
        let innermost = frames[frames.len() - 1];
        Frame { function: frames[0].function, inlined: false, ..innermost }
    }

    fn keep_unresolved(&mut self, found: &ResolvedAddresses) {
        let waiting = self.old.unresolved.iter().filter(|it| !found.answers.contains_key(&it.function));
        let kept = waiting
            .map(|it| Unresolved { function: self.replacements[it.function.index()].compiled(), ..*it });
        self.builder.profile.unresolved = kept.collect();
    }

    /// Adds the new stacks; returns the new id of each old stack.
    fn stacks(&mut self) -> Vec<Option<StackId>> {
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(self.old.stacks.len());
        for (below, &frame) in self.old.stacks.below.iter().zip(&self.old.stacks.frame) {
            let mut stack = below.and_then(|below| stacks[below.index()]);
            let old = self.old.frames.get(frame);
            if stack.is_some_and(|stack| self.continues(stack, old.function)) {
                stacks.push(stack);
                continue;
            }
            for frame in self.frames_of(old) {
                let frame = self.builder.frame(frame);
                stack = Some(self.builder.stack(stack, frame));
            }
            stacks.push(stack);
        }
        stacks
    }

    /// Whether a nameless address belongs to the same nameless function as its caller, so that both become one frame.
    fn continues(&self, below: StackId, function: FunctionId) -> bool {
        let profile = &self.builder.profile;
        let caller = profile.frames.function[profile.stacks.frame[below.index()].index()];
        matches!(&self.replacements[function.index()], Replacement::Whole(frame) if frame.function == caller)
    }

    fn frames_of(&self, frame: Frame) -> Vec<Frame> {
        let file = self.files[frame.file.index()];
        match &self.replacements[frame.function.index()] {
            Replacement::Frames(frames) => frames.clone(),
            Replacement::Whole(frame) => vec![*frame],
            Replacement::Nameless(function, address) => {
                vec![Frame { function: *function, file, address: *address, ..frame }]
            }
            target => vec![Frame { function: target.compiled(), file, ..frame }],
        }
    }

    fn part(&self, at: usize, stacks: &[Option<StackId>], detail: &mut Detail) -> Part {
        let old = &self.old.parts[at];
        let samples = Samples {
            stack: old.samples.stack.iter().map(|it| it.and_then(|it| stacks[it.index()])).collect(),
            ..old.samples.clone()
        };
        let own = self.own(&old.own, PartId::from(at), detail);
        let calls = self.calls(&old.calls, PartId::from(at), detail);
        let inclusive = self.inclusive(&old.inclusive);
        let entries = self.entries(&old.entries);
        Part { samples, own, inclusive, calls, entries, ..old.clone() }
    }

    fn entries(&self, old: &EntryCalls) -> EntryCalls {
        let mut entries = EntryCalls::default();
        let mut rows: HashMap<FunctionId, usize> = HashMap::new();
        for (function, count) in old.rows() {
            let function = self.replacements[function.index()].compiled();
            let row = *rows.entry(function).or_insert_with(|| {
                entries.push(function, 0);
                entries.count.len() - 1
            });
            entries.count[row] = entries.count[row].saturating_add(count);
        }
        entries
    }

    /// Stated inclusive costs; none if several functions became one, because inclusive costs cannot be added.
    fn inclusive(&self, old: &InclusiveCosts) -> InclusiveCosts {
        let function: Vec<FunctionId> =
            old.function.iter().map(|function| self.replacements[function.index()].compiled()).collect();
        let mut seen = HashSet::new();
        if function.iter().all(|function| seen.insert(*function)) {
            return InclusiveCosts { function, costs: old.costs.clone() };
        }
        InclusiveCosts { function: Vec::new(), costs: Costs::new(old.costs.width(), old.costs.signed()) }
    }

    /// Self costs by new function; costs of addresses are also added to the costs by line.
    fn own(&self, old: &SelfCosts, part: PartId, detail: &mut Detail) -> SelfCosts {
        let mut own =
            SelfCosts { function: Vec::new(), costs: Costs::new(old.costs.width(), old.costs.signed()) };
        let mut rows: HashMap<FunctionId, usize> = HashMap::new();
        let mut add = |function: FunctionId, costs: &[u64]| {
            let row = *rows.entry(function).or_insert_with(|| {
                own.function.push(function);
                own.costs.push(&[]);
                own.function.len() - 1
            });
            if !costs.is_empty() {
                own.costs.add(row, costs);
            }
        };
        for (at, function) in old.function.iter().enumerate() {
            let costs = if old.costs.width() > 0 { old.costs.row(at) } else { &[] };
            let target = &self.replacements[function.index()];
            if let Replacement::Pieces(pieces) = target {
                let bytes: Vec<u64> = pieces.iter().map(|(_, bytes)| *bytes).collect();
                let shares = divide_row(costs, old.costs.signed(), &bytes);
                for (piece, (frame, _)) in pieces.iter().enumerate().take(shares.rows()) {
                    let (function, share) = (frame.function, shares.row(piece));
                    add(function, share);
                    push_line(detail, function, part, place(frame), share);
                }
                continue;
            }
            add(target.compiled(), costs);
            if let Some(place) = target.place() {
                push_line(detail, target.compiled(), part, place, costs);
            }
        }
        own
    }

    /// Calls by new functions; calls from addresses are also added to the call sites.
    fn calls(&self, old: &Calls, part: PartId, detail: &mut Detail) -> Calls {
        let costs = Costs::new(old.costs.width(), old.costs.signed());
        let mut calls = Calls { costs, ..Calls::default() };
        let mut rows: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
        for at in 0..old.len() {
            let caller = &self.replacements[old.caller[at].index()];
            let callee = &self.replacements[old.callee[at].index()];
            let pair = (caller.compiled(), callee.compiled());
            let row = *rows.entry(pair).or_insert_with(|| {
                calls.caller.push(pair.0);
                calls.callee.push(pair.1);
                calls.count.push(0);
                if old.has_costs() {
                    calls.costs.push(&[]);
                }
                calls.caller.len() - 1
            });
            calls.count[row] = calls.count[row].saturating_add(old.count[at]);
            let costs = if old.has_costs() { old.costs.row(at) } else { &[] };
            if !costs.is_empty() {
                calls.costs.add(row, costs);
            }
            if let Some(place) = caller.place() {
                let target = callee.place().unwrap_or(NOWHERE);
                push_site(detail, pair, part, (place, target), (old.count[at], costs));
            }
        }
        calls
    }

    /// The costs by line, call site and jump of the old profile, with new ids.
    fn detail(&self) -> Detail {
        let Details::Loaded(old) = &self.old.details else { return self.empty_detail() };
        let mut detail = (**old).clone();
        let place = |it: &mut CodePosition| it.file = self.files[it.file.index()];
        let function = |it: &mut FunctionId| *it = self.replacements[it.index()].compiled();
        detail.lines.place.iter_mut().chain(&mut detail.sites.place).for_each(place);
        detail
            .sites
            .target
            .iter_mut()
            .chain(&mut detail.jumps.from)
            .chain(&mut detail.jumps.to)
            .for_each(place);
        detail.lines.function.iter_mut().chain(&mut detail.sites.caller).for_each(function);
        detail.sites.callee.iter_mut().chain(&mut detail.jumps.function).for_each(function);
        detail.jumps.into.iter_mut().for_each(function);
        if detail.lines.function.is_empty() {
            detail.lines.costs = self.empty_detail().lines.costs;
        }
        if detail.sites.caller.is_empty() {
            detail.sites.costs = self.empty_detail().sites.costs;
        }
        detail
    }

    fn empty_detail(&self) -> Detail {
        let costs = Costs::new(self.old.events.len(), self.old.signed);
        let mut detail = Detail::default();
        (detail.lines.costs, detail.sites.costs) = (costs.clone(), costs);
        detail
    }

    fn data(&mut self, stacks: &[Option<StackId>]) -> DataStructures {
        let old = &self.old.data;
        DataStructures {
            name: old.name.iter().map(|&name| self.builder.name(self.old.text(name))).collect(),
            stack: old.stack.iter().map(|it| it.and_then(|it| stacks[it.index()])).collect(),
            ..old.clone()
        }
    }
}

fn place(frame: &Frame) -> CodePosition {
    CodePosition { file: frame.file, line: frame.line, address: frame.address }
}

fn push_line(detail: &mut Detail, function: FunctionId, part: PartId, place: CodePosition, costs: &[u64]) {
    detail.lines.function.push(function);
    detail.lines.part.push(part);
    detail.lines.place.push(place);
    detail.lines.costs.push(costs);
}

fn push_site(
    detail: &mut Detail,
    (caller, callee): (FunctionId, FunctionId),
    part: PartId,
    (place, target): (CodePosition, CodePosition),
    (count, costs): (u64, &[u64]),
) {
    let sites = &mut detail.sites;
    sites.caller.push(caller);
    sites.callee.push(callee);
    sites.part.push(part);
    sites.place.push(place);
    sites.target.push(target);
    sites.count.push(count);
    sites.costs.push(costs);
}
