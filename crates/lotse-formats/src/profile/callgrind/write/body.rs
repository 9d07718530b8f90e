//! Writes the functions of one part with their lines and calls.

use std::io::{self, Write as _};

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{CodePosition, Detail, Details, Part};

use super::name::SpelledNames;

/// Whether places have addresses.
pub(super) fn has_addresses(profile: &Profile) -> bool {
    let Details::Loaded(detail) = &profile.details else { return false };
    detail.lines.place.iter().chain(&detail.sites.place).any(|place| place.address > 0)
}

/// Writes the functions of a part.
pub(super) struct PartWriter<'a> {
    profile: &'a Profile,
    part: &'a Part,
    detail: Option<&'a Detail>,
    addresses: bool,
    objects: SpelledNames,
    files: SpelledNames,
    functions: SpelledNames,
    /// Rows by function: of self costs, calls, lines and call sites.
    own: HashMap<FunctionId, usize>,
    calls: HashMap<FunctionId, Vec<usize>>,
    lines: HashMap<FunctionId, Vec<usize>>,
    sites: HashMap<FunctionId, Vec<usize>>,
    /// The object and file that are current where the output ends.
    object: Option<ObjectId>,
    file: FileId,
}

fn by_function(
    rows: impl Iterator<Item = FunctionId>,
    keep: impl Fn(usize) -> bool,
) -> HashMap<FunctionId, Vec<usize>> {
    let mut grouped: HashMap<FunctionId, Vec<usize>> = HashMap::new();
    for (row, function) in rows.enumerate().filter(|&(row, _)| keep(row)) {
        grouped.entry(function).or_default().push(row);
    }
    grouped
}

impl<'a> PartWriter<'a> {
    /// Groups the rows of part `number` by function.
    pub(super) fn new(profile: &'a Profile, number: usize) -> Self {
        let part = &profile.parts[number];
        let detail = match &profile.details {
            Details::Loaded(detail) => Some(&**detail),
            Details::OnDemand(_) => None,
        };
        let lines = detail.map_or_else(HashMap::new, |detail| {
            let lines = &detail.lines;
            by_function(lines.function.iter().copied(), |row| lines.part[row].index() == number)
        });
        let sites = detail.map_or_else(HashMap::new, |detail| {
            let sites = &detail.sites;
            by_function(sites.caller.iter().copied(), |row| sites.part[row].index() == number)
        });
        Self {
            profile,
            part,
            detail,
            addresses: has_addresses(profile),
            objects: SpelledNames::new(profile.objects.len()),
            files: SpelledNames::new(profile.files.len()),
            functions: SpelledNames::new(profile.functions.len()),
            own: part.own.function.iter().enumerate().map(|(row, &function)| (function, row)).collect(),
            calls: by_function(part.calls.caller.iter().copied(), |_| true),
            lines,
            sites,
            object: None,
            file: FileId(0),
        }
    }

    pub(super) fn write(mut self, out: &mut Vec<u8>) -> io::Result<()> {
        for function in self.profile.functions.ids() {
            if self.own.contains_key(&function) || self.calls.contains_key(&function) {
                self.function(out, function)?;
            }
        }
        Ok(())
    }

    fn function(&mut self, out: &mut Vec<u8>, function: FunctionId) -> io::Result<()> {
        let profile = self.profile;
        writeln!(out)?;
        let object = profile.functions.object[function.index()];
        if profile.objects.len() > 1 && self.object.replace(object) != Some(object) {
            self.objects.write(out, "ob", object.index(), profile.text(profile.objects[object.index()]))?;
        }
        let file = profile.functions.file[function.index()];
        self.file_line(out, "fl", file)?;
        self.file = file;
        self.functions.write(out, "fn", function.index(), profile.function_name(function))?;
        self.own_lines(out, function)?;
        self.calls(out, function)
    }

    fn file_line(&mut self, out: &mut Vec<u8>, key: &str, file: FileId) -> io::Result<()> {
        let profile = self.profile;
        self.files.write(out, key, file.index(), profile.text(profile.files[file.index()]))
    }

    /// Writes the self costs of a function by line, and what the lines leave of them at line 0.
    fn own_lines(&mut self, out: &mut Vec<u8>, function: FunctionId) -> io::Result<()> {
        let Some(&row) = self.own.get(&function) else { return Ok(()) };
        let home = CodePosition { file: self.file, line: 0, address: 0 };
        let definition = CodePosition { line: self.profile.functions.line[function.index()], ..home };
        let mut rest = self.clipped(self.part.own.costs.row(row));
        let (Some(detail), Some(rows)) = (self.detail, self.lines.remove(&function)) else {
            return self.costs(out, definition, &rest);
        };
        if rows.iter().all(|&row| detail.lines.place[row] == home) {
            return self.costs(out, definition, &rest);
        }
        let taken =
            rows.iter().try_for_each(|&row| subtract(&mut rest, &self.clipped(detail.lines.costs.row(row))));
        if taken.is_none() {
            // Lines that cost more than their function cannot be right.
            let own = self.clipped(self.part.own.costs.row(row));
            return self.costs(out, home, &own);
        }
        for row in rows {
            self.costs(out, detail.lines.place[row], &self.clipped(detail.lines.costs.row(row)))?;
        }
        if rest.iter().any(|&cost| cost > 0) { self.costs(out, home, &rest) } else { Ok(()) }
    }

    /// Cells with 0 in place of negative costs.
    fn clipped(&self, cells: &[u64]) -> Vec<u64> {
        let clip = |&cell: &u64| if self.profile.signed && (cell as i64) < 0 { 0 } else { cell };
        cells.iter().map(clip).collect()
    }

    fn costs(&mut self, out: &mut Vec<u8>, place: CodePosition, cells: &[u64]) -> io::Result<()> {
        if self.file != place.file {
            self.file = place.file;
            self.file_line(out, "fi", place.file)?;
        }
        self.position(out, place)?;
        let used = cells.iter().rposition(|&cell| cell > 0).map_or(0, |last| last + 1);
        for cell in &cells[..used.max(1).min(cells.len())] {
            write!(out, " {cell}")?;
        }
        writeln!(out)
    }

    fn position(&self, out: &mut Vec<u8>, place: CodePosition) -> io::Result<()> {
        if self.addresses {
            write!(out, "0x{:x} ", place.address)?;
        }
        write!(out, "{}", place.line)
    }

    /// Writes the calls of a function: by site where the sites add up to the calls, else at the line of its definition.
    fn calls(&mut self, out: &mut Vec<u8>, function: FunctionId) -> io::Result<()> {
        let Some(rows) = self.calls.remove(&function) else { return Ok(()) };
        let definition = self.profile.functions.line[function.index()];
        let (calls, home) =
            (&self.part.calls, CodePosition { file: self.file, line: definition, address: 0 });
        if let (Some(detail), Some(sites)) = (self.detail, self.sites.remove(&function))
            && self.sites_add_up(&rows, &sites, detail)
        {
            let at = &detail.sites;
            for row in sites {
                let cells = self.clipped(at.costs.row(row));
                let unknown = CodePosition { line: 0, ..home };
                let place = if at.place[row] == unknown { home } else { at.place[row] };
                self.call(out, at.callee[row], at.count[row], (place, at.target[row]), &cells)?;
            }
            return Ok(());
        }
        for row in rows {
            let cells = if calls.has_costs() { self.clipped(calls.costs.row(row)) } else { vec![0] };
            let callee = calls.callee[row];
            let file = self.profile.functions.file[callee.index()];
            let target = CodePosition { file, line: self.profile.functions.line[callee.index()], address: 0 };
            self.call(out, callee, calls.count[row], (home, target), &cells)?;
        }
        Ok(())
    }

    /// Whether counts and costs of the sites add up to those of the calls, callee by callee.
    fn sites_add_up(&self, rows: &[usize], sites: &[usize], detail: &Detail) -> bool {
        let (calls, at) = (&self.part.calls, &detail.sites);
        if !calls.has_costs() || at.costs.rows() != at.caller.len() {
            return false;
        }
        let all = rows
            .iter()
            .map(|&row| (calls.callee[row], (calls.count[row], self.clipped(calls.costs.row(row)))));
        let mut rest: HashMap<FunctionId, (u64, Vec<u64>)> = all.collect();
        let fit = sites.iter().all(|&row| {
            rest.get_mut(&at.callee[row]).is_some_and(|(count, cells)| {
                let left = count.checked_sub(at.count[row]);
                *count = left.unwrap_or(0);
                left.is_some() && subtract(cells, &self.clipped(at.costs.row(row))).is_some()
            })
        });
        fit && rest.values().all(|(count, cells)| *count == 0 && cells.iter().all(|&cell| cell == 0))
    }

    /// Writes calls of one callee: the callee, the `calls=` line with the target, and the line of costs at `place`.
    fn call(
        &mut self,
        out: &mut Vec<u8>,
        callee: FunctionId,
        count: u64,
        (place, target): (CodePosition, CodePosition),
        cells: &[u64],
    ) -> io::Result<()> {
        let profile = self.profile;
        if self.file != place.file {
            self.file = place.file;
            self.file_line(out, "fi", place.file)?;
        }
        let object = profile.functions.object[callee.index()];
        if self.object.is_some_and(|mine| mine != object) {
            self.objects.write(out, "cob", object.index(), profile.text(profile.objects[object.index()]))?;
        }
        self.file_line(out, "cfi", profile.functions.file[callee.index()])?;
        self.functions.write(out, "cfn", callee.index(), profile.function_name(callee))?;
        write!(out, "calls={count} ")?;
        self.position(out, target)?;
        writeln!(out)?;
        self.costs(out, place, cells)
    }
}

/// Subtracts `cells`; `None` where a cost would become negative.
fn subtract(from: &mut [u64], cells: &[u64]) -> Option<()> {
    for (from, cell) in from.iter_mut().zip(cells) {
        *from = from.checked_sub(*cell)?;
    }
    Some(())
}
