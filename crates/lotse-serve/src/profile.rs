//! Questions about a profile.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use lotse_model::id::FunctionId;
use lotse_model::rule::Thresholds;
use lotse_model::site::Site;
use lotse_model::{Finding, Invocation};
use lotse_profile::analysis::{Analysis, Summary};
use lotse_profile::diff::LineSources;
use lotse_profile::events::{Column, Cost, EventTypes};
use lotse_profile::names::find;
use lotse_profile::open::Opened;
use lotse_profile::resolve::Binaries;
use lotse_profile::rules::{Context, findings};

use crate::api::{
    About, Amount, CallsAnswer, EventType, FlamePicture, GraphPicture, LineSort, LineTable, Problem,
    Question, Scope, SourceAnswer, TreeDirection, TreemapPicture,
};
use crate::findings::Target;
use crate::open::{Document, SharedDocument};

mod about;
mod accepted;
mod amount;
mod analysed;
mod calls;
mod data;
mod event;
mod groups;
mod lines;
mod other;
mod pictures;
mod source;
mod table;
mod threads;

pub(crate) use about::by_estimate;
pub(crate) use amount::{Amounts, CostMarks, count, event_type};
pub(crate) use analysed::{Analysed, ScopedAnalysis};
use analysed::{parts_analysis, selected_analysis, selection};
pub(crate) use calls::{call_costs, function_row};
pub(crate) use event::check as check_event;
pub(crate) use groups::{GroupCosts, group_costs};
pub(crate) use lines::UNFILTERED;
pub(crate) use other::{OtherProfile, all_renames};
pub(crate) use source::{CONTEXT, Inside, annotated};
pub(crate) use table::{filtered, function_names};

/// The most rows that one answer has; the page asks for more when the user scrolls.
pub(crate) const MOST_ROWS: usize = 2000;

/// A profile that was read completely, and what annotating it needs.
pub struct ProfileDocument<'a> {
    opened: &'a Opened<'a>,
    binaries: Binaries<'a>,
    source_dirs: &'a [String],
    file: String,
    call: &'a Invocation,
    thresholds: &'a Thresholds,
    /// The analyses of the last scopes, the newest first.
    analyses: Mutex<Vec<(Scope, Arc<ScopedAnalysis<'a>>)>>,
    /// Called with the summary of the default scope, after the tables for pictures are made.
    keep_index: &'a (dyn Fn(&Opened<'a>, &Summary) + Sync),
    /// Where the source files were found whose text the page has got.
    shown: Mutex<BTreeSet<String>>,
    /// The other one of two compared profiles.
    other: Option<OtherProfile<'a>>,
}

/// More are not kept: the page changes one thing at a time and goes back.
const MOST_ANALYSES: usize = 4;

/// What a document needs beside the profile.
pub struct ProfileContext<'a> {
    pub binaries: Binaries<'a>,
    pub source_dirs: &'a [String],
    /// The name of the file, for the commands of verifications.
    pub file: String,
    pub call: &'a Invocation,
    pub thresholds: &'a Thresholds,
    /// Keeps the index of the file for the next time; called once, while questions are answered.
    pub keep_index: &'a (dyn Fn(&Opened<'a>, &Summary) + Sync),
}

impl<'a> ProfileDocument<'a> {
    /// A document of a profile that was read completely.
    pub fn new(opened: &'a Opened<'a>, context: ProfileContext<'a>) -> Self {
        let ProfileContext { binaries, source_dirs, file, call, thresholds, keep_index } = context;
        Self {
            opened,
            binaries,
            source_dirs,
            file,
            call,
            thresholds,
            analyses: Mutex::default(),
            keep_index,
            shown: Mutex::default(),
            other: None,
        }
    }

    /// The same document as one of two compared ones.
    pub(crate) fn compared(self, other: OtherProfile<'a>) -> Self {
        Self { other: Some(other), ..self }
    }

    /// The analysis of a scope, from the last ones if it is among them. Questions about a new scope wait for each other,
    /// so that each analysis is made once.
    pub(crate) fn analysis(&self, scope: &Scope) -> Result<Arc<ScopedAnalysis<'a>>, Problem> {
        let key = Scope { event: None, define: Vec::new(), side: None, ..scope.clone() };
        let mut analyses = self.analyses.lock().unwrap_or_else(PoisonError::into_inner);
        self.analysis_among(&mut analyses, key)
    }

    /// The same. What a filter keeps is selected from the analysis of all functions, which keeps the stacks that take long
    /// to estimate.
    fn analysis_among(
        &self,
        analyses: &mut Vec<(Scope, Arc<ScopedAnalysis<'a>>)>,
        key: Scope,
    ) -> Result<Arc<ScopedAnalysis<'a>>, Problem> {
        let selection = selection(self, &key)?;
        // Accepted renames matter for filters only.
        let key = if selection.is_empty() { Scope { renames: Vec::new(), ..key } } else { key };
        if let Some(at) = analyses.iter().position(|(known, _)| *known == key) {
            analyses[..=at].rotate_right(1);
            return Ok(Arc::clone(&analyses[0].1));
        }
        let made = match selection.is_empty() {
            true => parts_analysis(self.opened, &key)?,
            false => {
                let all = Scope { focus: None, ignore: None, hide: None, ..key.clone() };
                let whole = self.analysis_among(analyses, all)?;
                selected_analysis(&whole.get().analysis, &selection)?
            }
        };
        let made = Arc::new(made);
        analyses.insert(0, (key, Arc::clone(&made)));
        analyses.truncate(MOST_ANALYSES);
        Ok(made)
    }

    pub(crate) fn event_types(&self, scope: &Scope) -> Result<EventTypes, Problem> {
        EventTypes::new(&self.opened.profile, &scope.define).map_err(Problem::new)
    }

    /// The event type that a picture shows: the one of the scope, or the default one.
    pub(crate) fn weight(&self, scope: &Scope) -> Result<Column, Problem> {
        let types = self.event_types(scope)?;
        chosen(&types, scope)
    }

    /// The event types of a table, of which the one of the scope ranks.
    pub(crate) fn columns(&self, scope: &Scope, events: &[String]) -> Result<Vec<Column>, Problem> {
        let types = self.event_types(scope)?;
        let ranking = chosen(&types, scope)?;
        let mut columns = types.choose(events).map_err(Problem::new)?;
        if columns.is_empty() {
            columns.push(ranking.clone());
        }
        Ok(columns.into_iter().map(|column| column.ranked_by(&ranking.name)).collect())
    }

    pub(crate) fn opened(&self) -> &'a Opened<'a> {
        self.opened
    }

    /// Remembers files whose text the page gets: only these can be opened in an editor.
    pub(crate) fn note_shown<'s>(&self, paths: impl Iterator<Item = &'s str>) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).extend(paths.map(str::to_owned));
    }

    pub(crate) fn is_shown(&self, path: &str) -> bool {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }

    /// A function by its number.
    pub(crate) fn function(&self, id: u32) -> Result<FunctionId, Problem> {
        let known = (id as usize) < self.opened.profile.functions.len();
        known
            .then_some(FunctionId(id))
            .ok_or_else(|| Problem::new(format!("there is no function number {id}")))
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    pub(crate) fn call(&self) -> &'a Invocation {
        self.call
    }

    pub(crate) fn thresholds(&self) -> &'a Thresholds {
        self.thresholds
    }

    pub(crate) fn flame(
        &self,
        scope: &Scope,
        direction: TreeDirection,
        root: Option<u32>,
    ) -> Result<FlamePicture, Problem> {
        pictures::flame(self, scope, direction, root)
    }

    pub(crate) fn treemap(
        &self,
        scope: &Scope,
        tree: (TreeDirection, Option<u32>),
        size: (f64, f64),
    ) -> Result<TreemapPicture, Problem> {
        pictures::treemap(self, scope, tree, size)
    }

    pub(crate) fn graph(
        &self,
        scope: &Scope,
        function: Option<u32>,
        limits: (f64, usize),
    ) -> Result<GraphPicture, Problem> {
        pictures::graph(self, scope, function, limits)
    }

    pub(crate) fn calls(
        &self,
        scope: &Scope,
        function: u32,
        events: &[String],
    ) -> Result<CallsAnswer, Problem> {
        calls::calls(self, scope, function, events)
    }

    pub(crate) fn source(
        &self,
        scope: &Scope,
        function: (u32, bool),
        events: &[String],
    ) -> Result<SourceAnswer, Problem> {
        source::source(self, scope, function, events)
    }

    pub(crate) fn lines(
        &self,
        (scope, events): (&Scope, &[String]),
        sort: LineSort,
        limit: usize,
    ) -> Result<LineTable, Problem> {
        lines::lines(self, (scope, events), sort, limit)
    }

    /// Where the texts of source lines are searched for.
    pub(crate) fn line_sources(&self) -> LineSources<'_> {
        LineSources { files: self.binaries.files, directories: self.source_dirs }
    }

    /// The event type that a picture shows, and a cost of nothing.
    pub(crate) fn nothing(&self, scope: &Scope) -> Result<(EventType, Amount), Problem> {
        let (scoped, weight) = (self.analysis(scope)?, self.weight(scope)?);
        let totals = &scoped.get().analysis.totals;
        Ok((event_type(&weight, totals), Amounts::of_total(&weight, totals).amount(Cost::Exact(0))))
    }

    fn findings(&self, analysed: &Analysed<'_>) -> Vec<Finding> {
        findings(&Context {
            profile: &self.opened.profile,
            summary: &analysed.summary,
            file: &self.file,
            call: self.call,
            thresholds: self.thresholds,
        })
    }
}

fn chosen(types: &EventTypes, scope: &Scope) -> Result<Column, Problem> {
    match &scope.event {
        Some(name) => {
            let mut found = types.choose(std::slice::from_ref(name)).map_err(Problem::new)?;
            Ok(found.remove(0))
        }
        None => types.default().cloned().ok_or_else(|| Problem::new("the profile has no costs to show")),
    }
}

impl Document for ProfileDocument<'_> {
    fn about(&self) -> About {
        about::about(self)
    }

    fn shared(&self) -> Option<&dyn SharedDocument> {
        Some(self)
    }

    /// Each question is answered by the module of its view.
    fn answer(&self, question: &Question) -> Result<String, Problem> {
        match question {
            Question::Functions { group: Some(_), .. } => json(&groups::groups(self, question)?),
            Question::Functions { .. } => json(&table::functions(self, question)?),
            Question::Headline { scope } => json(&about::headline(self, scope)?),
            Question::Calls { scope, function, events } => {
                json(&calls::calls(self, scope, *function, events)?)
            }
            Question::Flame { scope, direction, root } => {
                json(&pictures::flame(self, scope, *direction, *root)?)
            }
            Question::Treemap { scope, direction, root, width, height } => {
                json(&pictures::treemap(self, scope, (*direction, *root), (*width, *height))?)
            }
            Question::Graph { scope, function, min_share, nodes } => {
                json(&pictures::graph(self, scope, *function, (*min_share, *nodes))?)
            }
            Question::Source { scope, function, events, instructions } => {
                json(&source::source(self, scope, (*function, *instructions), events)?)
            }
            Question::Lines { scope, events, sort, limit, .. } => {
                json(&lines::lines(self, (scope, events), *sort, *limit)?)
            }
            Question::Shown { path } => json(&self.is_shown(path)),
            Question::Data { scope } => json(&data::data(self, scope)?),
            Question::Event { scope, definition } => json(&event::check(self, scope, definition)?),
            Question::Report {}
            | Question::Runs { .. }
            | Question::Timeline { .. }
            | Question::Moment { .. }
            | Question::Statistics { .. }
            | Question::NextWait { .. }
            | Question::CallPaths { .. } => Err(Problem::new("a profile has no runs, time-line and report")),
        }
    }
}

impl SharedDocument for ProfileDocument<'_> {
    /// Makes the tables that pictures need, then keeps the index. A scope without an analysis has no pictures either.
    fn prepare(&self) {
        let Ok(scoped) = self.analysis(&Scope::default()) else { return };
        let Analysed { analysis, summary, .. } = scoped.get();
        analysis.prepare_pictures();
        (self.keep_index)(self.opened, summary);
    }
}

/// Where the evidence of a finding is: the function of its main place, and the line.
pub(crate) fn evidence(analysis: &Analysis<'_>, finding: &Finding) -> Target {
    let (name, line) = match finding.sites.first() {
        Some(Site::Source(source)) => (source.function.as_deref(), source.line),
        // A function of an object without debug information has a name, or an address, and no file.
        Some(Site::Region { path, .. }) => (path.last().map(String::as_str), None),
        _ => (None, None),
    };
    let found = name.and_then(|name| find(analysis, name).ok());
    Target { function: found.map(|found| found.function.0), line, ..Target::default() }
}

/// An answer as JSON.
pub(crate) fn json(answer: &impl serde::Serialize) -> Result<String, Problem> {
    serde_json::to_string(answer).map_err(Problem::new)
}
