//! Makes the profile anew with the functions found: stacks grow by what was inlined, rows of self costs and
//! calls become those of the compiled functions, pieces of a histogram are divided in proportion to their bytes.

use hashbrown::{HashMap, HashSet};
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId, StackId};
use lotse_model::profile::{
    Builder, Calls, CodePosition, Costs, DataStructures, Detail, Details, EntryCalls, Frame, InclusiveCosts,
    Part, Samples, SelfCosts, Unresolved,
};

use super::lookup::{Answer, Code, Found};
use super::share::divide_row;

/// What detail holds where a place is not known.
const NOWHERE: CodePosition = CodePosition { file: FileId(0), line: 0, address: 0 };

/// What a function has become.
enum Target {
    /// The same under another id.
    Kept(FunctionId),
    /// Several, the compiled one first, those inlined into it after it.
    Frames(Vec<Frame>),
    /// Pieces of several, with their bytes.
    Pieces(Vec<(Frame, u64)>),
    /// The function that stands for all nameless addresses of an object.
    Whole(Frame),
}

impl Target {
    /// The compiled function.
    fn compiled(&self) -> FunctionId {
        match self {
            Self::Kept(function) => *function,
            Self::Frames(frames) => frames[0].function,
            Self::Pieces(pieces) => pieces[0].0.function,
            Self::Whole(frame) => frame.function,
        }
    }

    /// Where in the source its address is, told by the innermost function.
    fn place(&self) -> Option<CodePosition> {
        let frame = match self {
            Self::Kept(_) | Self::Whole(_) => return None,
            Self::Frames(frames) => frames.last()?,
            Self::Pieces(pieces) => &pieces.first()?.0,
        };
        Some(CodePosition { file: frame.file, line: frame.line, address: frame.address })
    }
}

pub(super) fn rebuild(old: &Profile, found: &Found) -> Profile {
    let mut rebuild = Rebuild::new(old, found);
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

struct Rebuild<'a> {
    old: &'a Profile,
    builder: Builder,
    files: Vec<FileId>,
    targets: Vec<Target>,
}

impl<'a> Rebuild<'a> {
    fn new(old: &'a Profile, found: &Found) -> Self {
        let mut builder = Builder::new();
        let new = &mut builder.profile;
        new.events = old.events.clone();
        new.default_event = old.default_event;
        new.formulas = old.formulas.clone();
        (new.signed, new.recorded) = (old.signed, old.recorded);
        (new.command, new.creator) = (old.command.clone(), old.creator.clone());
        let files = old.files.iter().map(|&name| builder.file(old.text(name))).collect();
        let mut rebuild = Self { old, builder, files, targets: Vec::with_capacity(old.functions.len()) };
        for function in old.functions.ids() {
            let target = rebuild.target(function, found);
            rebuild.targets.push(target);
        }
        rebuild.keep_unresolved(found);
        rebuild
    }

    fn target(&mut self, function: FunctionId, found: &Found) -> Target {
        match found.answers.get(&function) {
            None => Target::Kept(self.kept(function)),
            Some(answer) => {
                let object = self.object(function, found.program.as_deref());
                match answer {
                    Answer::Point(code) => Target::Frames(self.frames(code, object)),
                    Answer::Range(pieces) => {
                        let whole = pieces.iter().map(|piece| match &piece.code {
                            Some(code) => (self.piece(code, object), piece.bytes),
                            None => (self.unknown(function), piece.bytes),
                        });
                        Target::Pieces(whole.collect())
                    }
                    Answer::Whole(name) => {
                        let function = self.builder.function(name, object, FileId(0));
                        let (file, line, address) = (FileId(0), 0, 0);
                        Target::Whole(Frame { function, file, line, address, inlined: false })
                    }
                }
            }
        }
    }

    /// The object of a function under its new id; the program where the profile does not name it.
    fn object(&mut self, function: FunctionId, program: Option<&str>) -> ObjectId {
        let object = self.old.functions.object[function.index()];
        let path = self.old.object_name(object).or(program).unwrap_or("");
        self.builder.object_of_build(path, self.old.build(object))
    }

    fn kept(&mut self, function: FunctionId) -> FunctionId {
        let functions = &self.old.functions;
        let object = self.object(function, None);
        let file = self.files[functions.file[function.index()].index()];
        let place = (functions.line[function.index()], functions.column[function.index()]);
        self.builder.function_at(self.old.function_name(function), object, file, place)
    }

    fn unknown(&mut self, function: FunctionId) -> Frame {
        Frame { function: self.kept(function), file: FileId(0), line: 0, address: 0, inlined: false }
    }

    fn frames(&mut self, code: &Code, object: ObjectId) -> Vec<Frame> {
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

    /// The compiled function, at the place that the innermost tells.
    fn piece(&mut self, code: &Code, object: ObjectId) -> Frame {
        let frames = self.frames(code, object);
        let innermost = frames[frames.len() - 1];
        Frame { function: frames[0].function, inlined: false, ..innermost }
    }

    fn keep_unresolved(&mut self, found: &Found) {
        let waiting = self.old.unresolved.iter().filter(|it| !found.answers.contains_key(&it.function));
        let kept =
            waiting.map(|it| Unresolved { function: self.targets[it.function.index()].compiled(), ..*it });
        self.builder.profile.unresolved = kept.collect();
    }

    /// New stacks, in the order of the old ones.
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

    /// Whether a nameless address lies in the same nameless function as the one that called it.
    fn continues(&self, below: StackId, function: FunctionId) -> bool {
        let profile = &self.builder.profile;
        let caller = profile.frames.function[profile.stacks.frame[below.index()].index()];
        matches!(&self.targets[function.index()], Target::Whole(frame) if frame.function == caller)
    }

    fn frames_of(&self, frame: Frame) -> Vec<Frame> {
        let file = self.files[frame.file.index()];
        match &self.targets[frame.function.index()] {
            Target::Frames(frames) => frames.clone(),
            Target::Whole(frame) => vec![*frame],
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
            let function = self.targets[function.index()].compiled();
            let row = *rows.entry(function).or_insert_with(|| {
                entries.push(function, 0);
                entries.count.len() - 1
            });
            entries.count[row] = entries.count[row].saturating_add(count);
        }
        entries
    }

    /// Stated inclusive costs; none where functions became one, for inclusive costs cannot be added.
    fn inclusive(&self, old: &InclusiveCosts) -> InclusiveCosts {
        let function: Vec<FunctionId> =
            old.function.iter().map(|function| self.targets[function.index()].compiled()).collect();
        let mut seen = HashSet::new();
        if function.iter().all(|function| seen.insert(*function)) {
            return InclusiveCosts { function, costs: old.costs.clone() };
        }
        InclusiveCosts { function: Vec::new(), costs: Costs::new(old.costs.width(), old.costs.signed()) }
    }

    /// Self costs; those of addresses also become detail.
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
            let target = &self.targets[function.index()];
            if let Target::Pieces(pieces) = target {
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

    fn calls(&self, old: &Calls, part: PartId, detail: &mut Detail) -> Calls {
        let costs = Costs::new(old.costs.width(), old.costs.signed());
        let mut calls = Calls { costs, ..Calls::default() };
        let mut rows: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
        for at in 0..old.len() {
            let caller = &self.targets[old.caller[at].index()];
            let callee = &self.targets[old.callee[at].index()];
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

    /// The detail that was there, under new ids.
    fn detail(&self) -> Detail {
        let Details::Loaded(old) = &self.old.details else { return self.empty_detail() };
        let mut detail = (**old).clone();
        let place = |it: &mut CodePosition| it.file = self.files[it.file.index()];
        let function = |it: &mut FunctionId| *it = self.targets[it.index()].compiled();
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
