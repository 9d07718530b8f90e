//! The costs by line, call sites and jumps of one function, read from the extents that reading recorded.
//!
//! The costs of its lines add up to the self cost of the function, and the costs of its call sites to the costs of its
//! calls.

use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{
    CallSites, CodePosition, Costs, Detail, Extent, Jumps, LineCosts, OnDemand, PartLayout,
};

use super::lookup::NameLookup;
use super::scan::{CostEnd, NameSpec, Position, Scan};
use super::slow::SlowCosts;
use crate::error::{self, FormatError};

/// Reads the costs inside one function from the extents of its blocks. `beside` caches the last sibling file read.
pub(crate) fn expand(
    source: &dyn Source,
    profile: &Profile,
    places: &OnDemand,
    function: FunctionId,
) -> Result<Detail, FormatError> {
    let mut detail = empty(profile);
    let mut beside: Option<(&str, Vec<u8>)> = None;
    for extent in places.extents_of(function) {
        let layout = &places.layouts[extent.part.index()];
        let bytes = match &layout.source {
            None => source.bytes(),
            Some(name) => {
                if beside.as_ref().is_none_or(|(known, _)| known != name) {
                    let bytes = source.get(name).map_err(|error| damaged(name, &error.to_string()))?;
                    beside = Some((name, bytes));
                }
                beside.as_ref().map_or(&[][..], |(_, bytes)| bytes)
            }
        };
        if extent.start > extent.end || extent.end > bytes.len() as u64 {
            return Err(damaged(source.name(), "has changed since it was read: it is shorter now"));
        }
        let slow = SlowCosts::new(places.format == "xdebug");
        ExtentReader::new(profile, layout, extent, function, bytes, slow).read(&mut detail);
    }
    Ok(detail)
}

fn damaged(name: &str, problem: &str) -> FormatError {
    let (place, problem) = (error::Place::Whole, problem.to_owned());
    FormatError::Damaged { name: name.to_owned(), place, problem }
}

fn empty(profile: &Profile) -> Detail {
    let costs = Costs::new(profile.events.len(), profile.signed);
    Detail {
        lines: LineCosts { costs: costs.clone(), ..LineCosts::default() },
        sites: CallSites { costs, ..CallSites::default() },
        jumps: Jumps::default(),
    }
}

/// A `calls=` line; the costs are in the next line.
struct PendingCalls {
    callee: Option<FunctionId>,
    target: CodePosition,
    count: u64,
}

/// A `jump=` or `jcnd=` line; the place of the jump is in the next line.
struct PendingJump {
    into: FunctionId,
    to: CodePosition,
    executed: u64,
    taken: u64,
    conditional: bool,
}

struct ExtentReader<'a> {
    scan: Scan<'a>,
    layout: &'a PartLayout,
    part: PartId,
    function: FunctionId,
    lookup: NameLookup<'a>,
    slow: SlowCosts,
    address: Position,
    line: Position,
    file: FileId,
    callee: Option<NameSpec<'a>>,
    callee_object: Option<ObjectId>,
    callee_file: Option<FileId>,
    site: Option<PendingCalls>,
    jump: Option<PendingJump>,
    cells: Vec<u64>,
    all_cells: Vec<u64>,
}

impl<'a> ExtentReader<'a> {
    /// A reader of one extent, with the positions and the file that are current at its start.
    fn new(
        profile: &'a Profile,
        layout: &'a PartLayout,
        extent: &Extent,
        function: FunctionId,
        bytes: &'a [u8],
        slow: SlowCosts,
    ) -> Self {
        let at = |value| Position { value, absolute: true };
        Self {
            scan: Scan::new(bytes, extent.start as usize, extent.end as usize),
            layout,
            part: extent.part,
            function,
            lookup: NameLookup::new(profile, layout, extent.part, function),
            slow,
            address: at(extent.base.address),
            line: at(u64::from(extent.base.line)),
            file: extent.base.file,
            callee: None,
            callee_object: None,
            callee_file: None,
            site: None,
            jump: None,
            cells: vec![0; layout.columns.len()],
            all_cells: vec![0; profile.events.len()],
        }
    }

    fn read(mut self, detail: &mut Detail) {
        while !self.scan.ended() {
            match self.scan.byte() {
                b'0'..=b'9' | b'+' | b'-' | b'*' => self.cost_line(detail),
                b' ' | b'\t' => self.scan.at += 1,
                _ => self.name_line(),
            }
        }
    }

    fn cost_line(&mut self, detail: &mut Detail) {
        let good = (!self.layout.addresses || self.scan.position(&mut self.address))
            && (!self.layout.lines || self.scan.position(&mut self.line));
        let (site, jump) = (self.site.take(), self.jump.take());
        if good {
            let place = self.place(self.file, self.address, self.line);
            let is_bare = self.scan.line_ends();
            if let Some(jump) = jump {
                push_jump(&mut detail.jumps, self.function, self.part, place, &jump);
                if !is_bare {
                    self.costs(place, None, detail);
                }
            } else {
                self.costs(place, site, detail);
            }
        }
        self.scan.skip_line();
    }

    /// Adds the costs of a line to those of the call site, or else to those of the line.
    fn costs(&mut self, place: CodePosition, site: Option<PendingCalls>, detail: &mut Detail) {
        self.cells.fill(0);
        let from = self.scan;
        if self.slow.reads_every_cost() {
            self.slow.add_costs(&mut self.scan, &mut self.cells);
        } else if self.scan.add_costs(&mut self.cells) == CostEnd::Garbage && !self.scan.line_ends() {
            self.slow.add_rest(&mut self.scan, from, &mut self.cells);
        }
        self.all_cells.fill(0);
        let columns = self.layout.columns.iter().zip(&self.cells);
        columns.for_each(|(&column, &cell)| self.all_cells[column as usize] = cell);
        match site {
            None => {
                let lines = &mut detail.lines;
                lines.function.push(self.function);
                lines.part.push(self.part);
                lines.place.push(place);
                lines.costs.push(&self.all_cells);
            }
            Some(site) => self.push_site(&site, place, &self.all_cells, detail),
        }
    }

    fn push_site(&self, site: &PendingCalls, place: CodePosition, cells: &[u64], detail: &mut Detail) {
        let (Some(callee), sites) = (site.callee, &mut detail.sites) else { return };
        sites.caller.push(self.function);
        sites.callee.push(callee);
        sites.part.push(self.part);
        sites.place.push(place);
        sites.target.push(site.target);
        sites.count.push(site.count);
        sites.costs.push(cells);
    }

    fn place(&self, file: FileId, address: Position, line: Position) -> CodePosition {
        let line = u32::try_from(line.value).unwrap_or(0);
        CodePosition { file, line, address: address.value }
    }

    fn name_line(&mut self) {
        if self.scan.take(b"cfn=") || self.scan.take(b"jfn=") {
            self.callee = Some(self.scan.name_spec());
        } else if self.scan.take(b"cfi=") || self.scan.take(b"cfl=") || self.scan.take(b"jfi=") {
            self.callee_file = Some(self.lookup.file(self.scan.name_spec()));
        } else if self.scan.take(b"cob=") {
            self.callee_object = self.lookup.object(self.scan.name_spec());
        } else if self.scan.take(b"calls=") {
            self.calls();
        } else if self.scan.take(b"fi=") || self.scan.take(b"fe=") || self.scan.take(b"fl=") {
            self.file = self.lookup.file(self.scan.name_spec());
        } else if self.scan.take(b"jump=") {
            self.jump(false);
        } else if self.scan.take(b"jcnd=") {
            self.jump(true);
        } else {
            self.scan.skip_line();
        }
    }

    fn calls(&mut self) {
        let count = if self.scan.at_digit() { self.scan.number().unwrap_or(0) } else { 0 };
        let (file, object) = (self.callee_file.take(), self.callee_object.take());
        let callee = self
            .callee
            .take()
            .and_then(|name_spec| self.lookup.callee(name_spec, object, file.unwrap_or(self.file)));
        let target = self.target(file.unwrap_or(self.file));
        self.site = Some(PendingCalls { callee, target, count });
        self.scan.skip_line();
    }

    /// The target of a call or jump. It is relative to the current position, which does not move.
    fn target(&mut self, file: FileId) -> CodePosition {
        let (mut address, mut line) = (self.address, self.line);
        self.scan.blanks();
        let good = (!self.layout.addresses || self.scan.position(&mut address))
            && (!self.layout.lines || self.scan.position(&mut line));
        if good { self.place(file, address, line) } else { CodePosition { file, ..CodePosition::default() } }
    }

    fn jump(&mut self, conditional: bool) {
        let taken = self.scan.number().unwrap_or(0);
        let executed = if self.scan.take(b"/") { self.scan.number().unwrap_or(0) } else { taken };
        let file = self.callee_file.take().unwrap_or(self.file);
        let into =
            self.callee.take().and_then(|name_spec| self.lookup.numbered(name_spec)).unwrap_or(self.function);
        let to = self.target(file);
        self.jump = Some(PendingJump { into, to, executed, taken, conditional });
        self.scan.skip_line();
    }
}

fn push_jump(jumps: &mut Jumps, function: FunctionId, part: PartId, from: CodePosition, jump: &PendingJump) {
    jumps.function.push(function);
    jumps.part.push(part);
    jumps.from.push(from);
    jumps.to.push(jump.to);
    jumps.into.push(jump.into);
    jumps.executed.push(jump.executed);
    jumps.taken.push(jump.taken);
    jumps.conditional.push(jump.conditional);
}
