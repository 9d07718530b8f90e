//! The source of a function before and after, line beside line.
//!
//! Lines of both sources that are the same stand in one row with both costs; lines of one source have a row of their own. Each line
//! with a cost is in exactly one row, so no cost is lost.

use std::collections::BTreeMap;

use lotse_model::id::FunctionId;
use lotse_profile::annotate::{Annotated, FileAnswer, LineAnswer, SiteAnswer};
use lotse_profile::diff::DiffOrder;
use lotse_profile::events::{Column, Cost};
use lotse_profile::filter::Filter;

use super::calls::row_of_function;
use super::changed::ChangedCosts;
use super::{Compared, ComparisonDocument, RowChoice, pictures};
use crate::api::{
    CallSite, Change, Problem, Remark, Scope, SideChoice, SourceAnswer, SourceFile, SourceLine,
};
use crate::profile::{Analysed, CONTEXT, Inside, ProfileDocument, annotated};
use crate::tokens::{Language, LineTokens};
use lotse_profile::diff::{LinePair, align};

/// The source of the side that the scope names; of both, if it names none.
pub(super) fn source(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    (function, instructions): (u32, bool),
    events: &[String],
) -> Result<SourceAnswer, Problem> {
    let ids = document.ids(scope)?;
    let both = [ids.in_profile(function, true), ids.in_profile(function, false)];
    if let ([Some(old), Some(new)], None | Some(SideChoice::Difference)) = (both, scope.side) {
        let whole = Scope { focus: None, ignore: None, hide: None, ..scope.clone() };
        let mut answer = Both::new(document, &whole, events)?.source(function, [old, new], instructions)?;
        if whole != *scope {
            let text = "focus, ignore and hide do not apply here: these are the costs of the lines in all samples of the parts";
            answer.remarks.insert(0, Remark::note(text));
        }
        return Ok(answer);
    }
    // A function that only one profile has is shown with the costs of that one.
    let is_old = match scope.side {
        Some(SideChoice::Old) => true,
        Some(SideChoice::New) => false,
        _ => both[1].is_none(),
    };
    if let Some(why) = document.absence(scope, function, is_old)? {
        return absent(document, scope, (function, events), why);
    }
    let profile = if is_old { &document.old } else { &document.new };
    let id = document.function(scope, function, is_old)?.0;
    let (own_scope, own_events) = document.of_profile((scope, events), is_old)?;
    let mut answer = profile.source(&own_scope, (id, instructions), &own_events)?;
    if both.contains(&None) {
        let (which, other) = if is_old { ("old", "new") } else { ("new", "old") };
        let text = format!(
            "the {other} profile does not have this function: these are the costs of the {which} one"
        );
        answer.remarks.insert(0, Remark::note(text));
    }
    Ok(pictures::renamed_source(answer, &ids, is_old))
}

/// No lines, because the profile that the scope names does not have the function.
fn absent(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    (function, events): (u32, &[String]),
    why: String,
) -> Result<SourceAnswer, Problem> {
    let filter = Filter::default();
    let choice = RowChoice { order: DiffOrder::New, inclusive: false, filter: &filter };
    let compared = document.compare(scope, events, choice)?;
    Ok(SourceAnswer {
        function: row_of_function(document, &compared, (scope, events), function)?,
        events: compared.events(),
        files: Vec::new(),
        code: None,
        no_code: why.clone(),
        remarks: vec![Remark::note(why)],
    })
}

/// What the rows of both sources are made with.
struct Both<'c, 'a> {
    document: &'c ComparisonDocument<'a>,
    scope: &'c Scope,
    events: &'c [String],
    compared: Compared,
    /// The event types of the old and the new profile, in the same order.
    columns: [Vec<Column>; 2],
}

impl<'c, 'a> Both<'c, 'a> {
    fn new(
        document: &'c ComparisonDocument<'a>,
        scope: &'c Scope,
        events: &'c [String],
    ) -> Result<Self, Problem> {
        let filter = Filter::default();
        let choice = RowChoice { order: DiffOrder::New, inclusive: false, filter: &filter };
        let compared = document.compare(scope, events, choice)?;
        let columns = document.pairing(scope, events)?.columns.try_into();
        let columns = columns.map_err(|_| Problem::new("two profiles are compared"))?;
        Ok(Self { document, scope, events, compared, columns })
    }

    /// The files of both profiles, paired, and the instructions of the new one.
    fn source(
        &self,
        function: u32,
        [old, new]: [FunctionId; 2],
        instructions: bool,
    ) -> Result<SourceAnswer, Problem> {
        let scoped = [self.document.old.analysis(self.scope)?, self.document.new.analysis(self.scope)?];
        let analysed = [scoped[0].get(), scoped[1].get()];
        let before = inside(&self.document.old, analysed[0], old, (&self.columns[0], false))?;
        let after = inside(&self.document.new, analysed[1], new, (&self.columns[1], instructions))?;
        let mut remarks = self.repeated(new);
        remarks.extend(notes("old", &before.notes).chain(notes("new", &after.notes)));
        if after.code.is_some() {
            remarks.push(Remark::note(
                "instructions are those of the new profile; at the top, choose old for the others",
            ));
        }
        let sides = [0, 1].map(|at| Inside { analysed: analysed[at], columns: &self.columns[at] });
        let rows = Rows { both: self, sides: &sides };
        let mut files = Vec::new();
        for pair in paired(before.files, after.files) {
            remarks.extend(missing(&pair));
            files.push(rows.file(pair)?);
        }
        let code = after.code.map(|code| sides[1].code(code));
        let no_code = if code.is_none() && instructions {
            "the machine code of this function was not found; the remarks say why"
        } else {
            ""
        };
        Ok(SourceAnswer {
            function: row_of_function(self.document, &self.compared, (self.scope, self.events), function)?,
            events: self.compared.events(),
            files,
            // Numbers of the new profile are those of the comparison.
            code,
            no_code: no_code.to_owned(),
            remarks,
        })
    }

    /// A remark if functions of the same name are one row of the table: the source is that of the first.
    fn repeated(&self, new: FunctionId) -> Vec<Remark> {
        let row = self.compared.answer.functions.iter().find(|row| row.ids[1].contains(&new));
        let counts = row.map_or([1, 1], |row| [row.ids[0].len(), row.ids[1].len()]);
        let several = |(which, count): (&str, usize)| {
            let text = format!(
                "{count} functions of the {which} profile have this name; these are the lines of the first one"
            );
            (count > 1).then(|| Remark::note(text))
        };
        ["old", "new"].into_iter().zip(counts).filter_map(several).collect()
    }
}

/// The inside of a function with all lines of its files: which of them are shown depends on both profiles.
fn inside(
    document: &ProfileDocument<'_>,
    analysed: &Analysed<'_>,
    function: FunctionId,
    (columns, instructions): (&[Column], bool),
) -> Result<Annotated, Problem> {
    let detail = document.opened().detail(function).map_err(Problem::new)?;
    Ok(annotated(document, analysed, (function, &detail), (columns, instructions, usize::MAX)))
}

fn notes<'n>(which: &'n str, notes: &'n [String]) -> impl Iterator<Item = Remark> + use<'n> {
    notes.iter().map(move |note| Remark::note(format!("{which}: {note}")))
}

/// A file of the old and of the new profile; one of them may be absent.
type FilePair = [Option<FileAnswer>; 2];

/// Pairs files by path, then by name, then the files of the definitions, which come first.
fn paired(old: Vec<FileAnswer>, new: Vec<FileAnswer>) -> Vec<FilePair> {
    let mut old: Vec<Option<FileAnswer>> = old.into_iter().map(Some).collect();
    let mut new: Vec<FilePair> = new.into_iter().map(|file| [None, Some(file)]).collect();
    for rule in [path_of, base_name_of] {
        for [before, after] in new.iter_mut().filter(|pair| pair[0].is_none()) {
            let wanted = after.as_ref().map(rule);
            let is_same = |file: &&mut Option<FileAnswer>| file.as_ref().map(rule) == wanted;
            *before = old.iter_mut().filter(|file| file.is_some()).find(is_same).and_then(Option::take);
        }
    }
    if let (Some(first), Some(pair)) = (old.first_mut(), new.first_mut())
        && pair[0].is_none()
    {
        pair[0] = first.take();
    }
    new.into_iter().chain(old.into_iter().flatten().map(|file| [Some(file), None])).collect()
}

fn path_of(file: &FileAnswer) -> Option<&str> {
    file.path.as_deref()
}

fn base_name_of(file: &FileAnswer) -> Option<&str> {
    file.path.as_deref().and_then(|path| path.rsplit('/').next())
}

/// What to say if the text of one side is not there.
fn missing(pair: &FilePair) -> Option<Remark> {
    let [Some(old), Some(new)] = pair else { return None };
    let which = match (&old.found, &new.found) {
        (None, Some(_)) => "old",
        (Some(_), None) => "new",
        _ => return None,
    };
    let path = if which == "old" { &old.path } else { &new.path };
    let path = path.as_deref().unwrap_or("a file that is not named");
    Some(Remark::note(format!(
        "the {which} source {path} is missing: its costs stand at the lines of the other one with the same numbers"
    )))
}

/// Makes the rows of files.
struct Rows<'r, 'c, 'a> {
    both: &'r Both<'c, 'a>,
    sides: &'r [Inside<'r>; 2],
}

impl Rows<'_, '_, '_> {
    fn file(&self, [old, new]: FilePair) -> Result<SourceFile, Problem> {
        let language =
            Language::of_path(new.as_ref().or(old.as_ref()).and_then(|it| it.path.as_deref()).unwrap_or(""));
        let part = |file: Option<FileAnswer>| {
            file.map_or((None, None, Vec::new()), |it| (it.path, it.found, it.lines))
        };
        let ((old_path, old_found, before), (path, found, after)) = (part(old), part(new));
        let pairs = kept(&line_pairs(&before, &after), &before, &after);
        let (mut before, mut after) = (owned(before), owned(after));
        let mut tokens = [LineTokens::new(language), LineTokens::new(language)];
        let mut lines = Vec::new();
        for (a, b) in pairs {
            let old = a.and_then(|at| before[at].take());
            let new = b.and_then(|at| after[at].take());
            lines.push(self.line(old, new, &mut tokens)?);
        }
        Ok(SourceFile { path, found, old_path, old_found, lines })
    }

    /// A line of one or of both sources.
    fn line(
        &self,
        old: Option<LineAnswer>,
        new: Option<LineAnswer>,
        [of_old, of_new]: &mut [LineTokens; 2],
    ) -> Result<SourceLine, Problem> {
        let costs = |line: &Option<LineAnswer>| line.as_ref().map(|line| line.own.clone());
        let (before, after) = (costs(&old), costs(&new));
        let zero = || vec![Cost::Exact(0); self.both.columns[1].len()];
        let inclusive = new.as_ref().map_or_else(zero, |line| line.inclusive.clone());
        let text_of = |line: &Option<LineAnswer>| line.as_ref().and_then(|line| line.text.clone());
        // Both tokenizers see their lines, since a comment may begin in one source only.
        let tokens_of = |line: &Option<LineAnswer>, tokens: &mut LineTokens| {
            line.as_ref().map(|line| tokens.next_line(line.line, line.text.as_deref().unwrap_or("")))
        };
        let (old_tokens, new_tokens) = (tokens_of(&old, of_old), tokens_of(&new, of_new));
        Ok(SourceLine {
            line: new.as_ref().and_then(|line| line.line),
            old_line: old.as_ref().and_then(|line| line.line),
            status: match (&old, &new) {
                (Some(_), None) => "removed",
                (None, Some(_)) => "added",
                _ => "both",
            },
            text: text_of(&new).or_else(|| text_of(&old)),
            tokens: new_tokens.filter(|_| text_of(&new).is_some()).or(old_tokens).unwrap_or_else(Vec::new),
            own: self.sides[1].amounts(&after.clone().unwrap_or_else(zero)),
            inclusive: self.sides[1].amounts(&inclusive),
            changes: Some(self.changes(before.as_deref(), after.as_deref())),
            calls: self.sites(
                old.map_or_else(Vec::new, |line| line.calls),
                new.map_or_else(Vec::new, |line| line.calls),
            )?,
        })
    }

    fn changes(&self, old: Option<&[Cost]>, new: Option<&[Cost]>) -> Vec<Change> {
        let cost = |costs: Option<&[Cost]>, at: usize| costs.and_then(|costs| costs.get(at).copied());
        let compared = &self.both.compared;
        let change = |at: usize| ChangedCosts::own(compared, at).between(cost(old, at), cost(new, at));
        (0..compared.columns.len()).map(change).collect()
    }

    /// The calls of a line in both profiles, joined by callee.
    fn sites(&self, old: Vec<SiteAnswer>, new: Vec<SiteAnswer>) -> Result<Vec<CallSite>, Problem> {
        if old.is_empty() && new.is_empty() {
            return Ok(Vec::new());
        }
        let ids = self.both.document.ids(self.both.scope)?;
        let key = |site: &SiteAnswer, is_old: bool| (ids.number(site.function.id.0, is_old), site.inlined);
        let mut before: BTreeMap<(u32, bool), SiteAnswer> =
            old.into_iter().map(|site| (key(&site, true), site)).collect();
        let mut sites = Vec::new();
        let costs: Vec<Option<Vec<Cost>>> = new.iter().map(|site| site.cost.clone()).collect();
        let keys: Vec<(u32, bool)> = new.iter().map(|site| key(site, false)).collect();
        for ((mut site, cost), key) in self.sides[1].sites(new).into_iter().zip(costs).zip(keys) {
            let earlier = before.remove(&key).and_then(|site| site.cost);
            site.changes = Some(self.changes(earlier.as_deref(), cost.as_deref()));
            sites.push(site);
        }
        let gone: Vec<SiteAnswer> = before.into_values().collect();
        let costs: Vec<Option<Vec<Cost>>> = gone.iter().map(|site| site.cost.clone()).collect();
        for (mut site, cost) in self.sides[0].sites(gone).into_iter().zip(costs) {
            site.function = ids.renamed(site.function, true);
            site.changes = Some(self.changes(cost.as_deref(), None));
            (site.costs, site.calls) = (None, None);
            sites.push(site);
        }
        Ok(sites)
    }
}

fn owned(lines: Vec<LineAnswer>) -> Vec<Option<LineAnswer>> {
    lines.into_iter().map(Some).collect()
}

/// Which lines of two files belong together: by text where both have it, else by number.
fn line_pairs(old: &[LineAnswer], new: &[LineAnswer]) -> Vec<LinePair> {
    let with_text = |lines: &[LineAnswer]| -> Vec<usize> {
        (0..lines.len()).filter(|&at| lines[at].text.is_some()).collect()
    };
    let (a, b) = (with_text(old), with_text(new));
    if a.is_empty() || b.is_empty() {
        return by_number(old, new, (0..old.len()).collect(), (0..new.len()).collect());
    }
    let old_texts: Vec<&str> = old.iter().filter_map(|line| line.text.as_deref()).collect();
    let new_texts: Vec<&str> = new.iter().filter_map(|line| line.text.as_deref()).collect();
    let others = |lines: &[LineAnswer]| -> Vec<usize> {
        (0..lines.len()).filter(|&at| lines[at].text.is_none()).collect()
    };
    let aligned = align(&old_texts, &new_texts).into_iter();
    let aligned = aligned.map(|(x, y)| (x.map(|x| a[x]), y.map(|y| b[y])));
    // Costs without a line, and lines beyond the end of the text.
    by_number(old, new, others(old), others(new)).into_iter().chain(aligned).collect()
}

/// Pairs lines with equal numbers, in the order of the numbers.
fn by_number(old: &[LineAnswer], new: &[LineAnswer], a: Vec<usize>, b: Vec<usize>) -> Vec<LinePair> {
    let mut rows: BTreeMap<u32, LinePair> = BTreeMap::new();
    let number = |line: &LineAnswer| line.line.unwrap_or(0);
    for at in a {
        rows.entry(number(&old[at])).or_default().0 = Some(at);
    }
    for at in b {
        rows.entry(number(&new[at])).or_default().1 = Some(at);
    }
    rows.into_values().collect()
}

/// The rows with costs or calls, and those around them.
fn kept(pairs: &[LinePair], old: &[LineAnswer], new: &[LineAnswer]) -> Vec<LinePair> {
    let counts = |line: &LineAnswer| {
        !line.calls.is_empty() || line.own.iter().any(|cost| !cost.is_absent() && cost.as_f64() != 0.0)
    };
    let is_marked = |pair: &LinePair| {
        pair.0.is_some_and(|at| counts(&old[at])) || pair.1.is_some_and(|at| counts(&new[at]))
    };
    let mut keep = vec![false; pairs.len()];
    let mut until = 0;
    for (at, pair) in pairs.iter().enumerate() {
        if is_marked(pair) {
            let from = at.saturating_sub(CONTEXT).max(until);
            until = (at + CONTEXT + 1).min(pairs.len());
            keep[from..until].fill(true);
        }
    }
    pairs.iter().zip(keep).filter(|(_, keep)| *keep).map(|(pair, _)| *pair).collect()
}
