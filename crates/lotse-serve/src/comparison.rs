//! Questions about two profiles: every view has the old one, the new one and the difference.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lotse_model::id::FunctionId;
use lotse_profile::diff::{Basis, Comparison, DiffAnswer, DiffOrder, DiffQuery, DiffSide, Pairing, pair};
use lotse_profile::diff::{PathMatches, Rename, sampling_note, weight_note};
use lotse_profile::events::{Column, EventError, EventTypes, ranking};
use lotse_profile::filter::Filter;
use lotse_profile::select::{compared_notes, focus_without_match};

use crate::api::{
    About, DocumentKind, EventType, FunctionRename, Problem, Question, Remark, Restated, Scope, SideChoice,
};
use crate::open::{Document, SharedDocument};
use crate::profile::{Analysed, CostMarks, OtherProfile, ProfileDocument, ScopedAnalysis};
use crate::profile::{all_renames, event_type, json};

mod about;
mod calls;
mod changed;
mod event;
mod ids;
mod lines;
mod pictures;
mod source;
mod table;

use ids::FunctionIds;

/// An old and a new profile.
pub struct ComparisonDocument<'a> {
    old: ProfileDocument<'a>,
    new: ProfileDocument<'a>,
    /// How functions of the old profile are called in the new one.
    renames: Vec<Rename>,
    /// The numbers of functions with the last renames, the newest first.
    ids: Mutex<Vec<(Vec<FunctionRename>, Arc<FunctionIds>)>>,
    /// The remarks on both files.
    file_remarks: OnceLock<Vec<Remark>>,
    /// What the document says with the last renames of the page.
    restated: Mutex<Option<(Vec<FunctionRename>, Restated)>>,
}

/// More are not kept: the user accepts one rename after another and goes back.
const MOST_IDS: usize = 4;

/// The order and kind of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowChoice<'f> {
    pub(crate) order: DiffOrder,
    pub(crate) inclusive: bool,
    pub(crate) filter: &'f Filter,
}

/// The answer of the engine, and the event types that it is about.
pub(crate) struct Compared {
    pub(crate) answer: DiffAnswer,
    /// The event types of the new profile.
    pub(crate) columns: Vec<Column>,
    /// The event types of the old profile, in the same order: they may have other places there, and other names.
    pub(crate) old_columns: Vec<Column>,
    pub(crate) basis: Basis,
    pub(crate) notes: Vec<String>,
    /// Totals of the old and of the new profile.
    pub(crate) totals: [Vec<i128>; 2],
    /// The marks of their costs: all are estimates if samples were selected in a file without stacks.
    pub(crate) marks: [CostMarks; 2],
}

impl Compared {
    /// The event types with both totals.
    pub(crate) fn events(&self) -> Vec<EventType> {
        let both = |(old, new): (&Column, &Column)| EventType {
            old_total: Some(event_type(old, &self.totals[0]).total),
            by_share: self.basis == Basis::Share,
            ..event_type(new, &self.totals[1])
        };
        self.old_columns.iter().zip(&self.columns).map(both).collect()
    }
}

impl<'a> ComparisonDocument<'a> {
    /// A document of two profiles that were read completely.
    pub fn new(old: ProfileDocument<'a>, new: ProfileDocument<'a>, renames: Vec<Rename>) -> Self {
        let other = |document: &ProfileDocument<'a>, is_old: bool| OtherProfile {
            opened: document.opened(),
            is_old,
            renames: renames.clone(),
        };
        let (other_of_old, other_of_new) = (other(&new, false), other(&old, true));
        Self {
            old: old.compared(other_of_old),
            new: new.compared(other_of_new),
            renames,
            ids: Mutex::default(),
            file_remarks: OnceLock::new(),
            restated: Mutex::default(),
        }
    }

    /// Which objects are the same in both profiles.
    fn path_matches(&self, group: &str) -> PathMatches {
        let (old, new) = (&self.old.opened().profile, &self.new.opened().profile);
        match group {
            "object" => PathMatches::objects(old, new),
            "file" => PathMatches::files(old, new),
            _ => PathMatches::default(),
        }
    }

    /// One of the profiles; the new one for a difference.
    fn side(&self, scope: &Scope) -> (&ProfileDocument<'a>, bool) {
        match scope.side {
            Some(SideChoice::Old) => (&self.old, true),
            _ => (&self.new, false),
        }
    }

    /// Compares all functions.
    pub(crate) fn compare(
        &self,
        scope: &Scope,
        events: &[String],
        choice: RowChoice<'_>,
    ) -> Result<Compared, Problem> {
        let scoped = self.analyses(scope)?;
        let analysed = [scoped[0].get(), scoped[1].get()];
        let pairing = self.pairing(scope, events)?;
        let left = filter_notes(analysed, &pairing);
        let sides = self.sides(analysed, &pairing);
        let renames = self.renames(scope);
        let comparison = Comparison::renamed(&sides, pairing.basis, &renames);
        let query = DiffQuery {
            basis: pairing.basis,
            order: choice.order,
            inclusive: choice.inclusive,
            limit: None,
            min_change: 0.0,
            filter: choice.filter,
        };
        let notes = left
            .into_iter()
            .chain(pairing.notes.iter().cloned())
            .chain(sampling_note(&sides))
            .chain(weight_note(&sides));
        Ok(Compared {
            answer: comparison.answer(&query),
            notes: notes.chain(comparison.naming_notes(&renames)).collect(),
            basis: pairing.basis,
            columns: pairing.columns[1].clone(),
            old_columns: pairing.columns[0].clone(),
            totals: analysed.map(|analysed| analysed.analysis.totals.clone()),
            marks: analysed.map(CostMarks::new),
        })
    }

    /// The analyses of both profiles; a problem says which of them has it.
    fn analyses(&self, scope: &Scope) -> Result<[Arc<ScopedAnalysis<'a>>; 2], Problem> {
        let of_side = |name: &str, document: &ProfileDocument<'a>| {
            document.analysis(scope).map_err(|problem| Problem {
                message: format!("{name} profile: {}", problem.message),
                ..problem
            })
        };
        let sides = [of_side("old", &self.old)?, of_side("new", &self.new)?];
        match [0, 1].map(|at| focus_without_match(&sides[at].get().analysis.notes)) {
            [Some(old), Some(_)] => Err(Problem::new(format!("old and new profile: {old}"))),
            _ => Ok(sides),
        }
    }

    /// What a filter leaves of both profiles.
    pub(crate) fn filter_remarks(&self, scope: &Scope) -> Result<Vec<Remark>, Problem> {
        let scoped = self.analyses(scope)?;
        let pairing = self.pairing(scope, &[])?;
        let notes = filter_notes([scoped[0].get(), scoped[1].get()], &pairing);
        Ok(notes.into_iter().map(Remark::note).collect())
    }

    /// The profile that has no function that the focus matches, while the other one has: whether it is the old one.
    fn side_without_focus(&self, scope: &Scope) -> Result<Option<bool>, Problem> {
        let sides = self.analyses(scope)?;
        let lacks = |at: usize| focus_without_match(&sides[at].get().analysis.notes).is_some();
        Ok([true, false].into_iter().find(|&is_old| lacks(usize::from(!is_old))))
    }

    /// Which event types are compared: those asked for, else the default one.
    fn pairing(&self, scope: &Scope, events: &[String]) -> Result<Pairing, Problem> {
        let types = [self.old.event_types(scope)?, self.new.event_types(scope)?];
        let mut chosen = events.to_vec();
        if chosen.is_empty() {
            chosen.extend(scope.event.clone());
        }
        let mut pairing = self.paired(&types, &chosen).map_err(Problem::new)?;
        if chosen.is_empty() {
            pairing.keep_one(|_| true);
        }
        if let Some(column) = pairing.without_shares() {
            return Err(Problem::new(format!(
                "{column} does not add up over functions, so that there are no shares to compare"
            )));
        }
        if let Some(ranking) = &scope.event {
            for columns in &mut pairing.columns {
                *columns = std::mem::take(columns).into_iter().map(|it| it.ranked_by(ranking)).collect();
            }
        }
        Ok(pairing)
    }

    /// Pairs event types of the same name, or those that are compared under two names: the page knows that of the new profile.
    fn paired(&self, types: &[EventTypes; 2], chosen: &[String]) -> Result<Pairing, EventError> {
        let formats = [self.old.opened().format, self.new.opened().format];
        let profiles: Vec<_> = formats.into_iter().zip(types).collect();
        if types.iter().any(|types| types.choose(chosen).is_err()) {
            let usual = pair(&profiles, &[], None)?;
            let is_known = |name: &String| usual.columns[1].iter().any(|column| column.name == *name);
            if chosen.iter().all(is_known) {
                return Ok(usual);
            }
        }
        pair(&profiles, chosen, None)
    }

    /// The scope and the event types of questions to one of the profiles: those that are compared, by their names there. The
    /// profiles may have different default ones.
    pub(crate) fn of_profile(
        &self,
        (scope, events): (&Scope, &[String]),
        is_old: bool,
    ) -> Result<(Scope, Vec<String>), Problem> {
        let names = |pairing: &Pairing| -> Vec<String> {
            pairing.columns[usize::from(!is_old)].iter().map(|column| column.name.clone()).collect()
        };
        let ranking = names(&self.pairing(scope, &[])?).into_iter().next();
        let events = match events {
            [] => Vec::new(),
            events => names(&self.pairing(scope, events)?),
        };
        Ok((Scope { event: ranking.or_else(|| scope.event.clone()), ..scope.clone() }, events))
    }

    fn sides<'s>(&'s self, analysed: [&'s Analysed<'s>; 2], pairing: &'s Pairing) -> [DiffSide<'s>; 2] {
        let side = |document: &'s ProfileDocument<'a>, at: usize| DiffSide {
            file: document.file(),
            format: document.opened().format,
            analysis: &analysed[at].analysis,
            columns: &pairing.columns[at],
        };
        [side(&self.old, 0), side(&self.new, 1)]
    }

    /// The renames of the command line and those of the page.
    fn renames(&self, scope: &Scope) -> Vec<Rename> {
        all_renames(&self.renames, &scope.renames)
    }

    /// Which functions of the profiles are the same.
    pub(crate) fn ids(&self, scope: &Scope) -> Result<Arc<FunctionIds>, Problem> {
        let known = |all: &[(Vec<FunctionRename>, Arc<FunctionIds>)]| {
            all.iter().find(|(renames, _)| *renames == scope.renames).map(|(_, ids)| Arc::clone(ids))
        };
        if let Some(ids) = known(&self.ids.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(ids);
        }
        let filter = Filter::default();
        let choice = RowChoice { order: DiffOrder::Name, inclusive: false, filter: &filter };
        let whole = Scope { renames: scope.renames.clone(), ..Scope::default() };
        let compared = self.compare(&whole, &[], choice)?;
        let counts = [&self.old, &self.new].map(|document| document.opened().profile.functions.len());
        let made = Arc::new(FunctionIds::new(&compared.answer.functions, counts));
        let mut all = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(0, (whole.renames, Arc::clone(&made)));
        all.truncate(MOST_IDS);
        Ok(made)
    }

    /// Why a profile has no answer about a function: only the other profile has it.
    fn absence(&self, scope: &Scope, id: u32, is_old: bool) -> Result<Option<String>, Problem> {
        let ids = self.ids(scope)?;
        let other = if is_old { "new" } else { "old" };
        match (ids.in_profile(id, is_old), ids.in_profile(id, !is_old)) {
            (Some(_), _) => Ok(None),
            (None, Some(_)) => {
                Ok(Some(format!("This function is only in the {other} profile: Show: {other} has it.")))
            }
            (None, None) => Err(Problem::new(format!("there is no function number {id}"))),
        }
    }

    /// The function of a side, by its number in the comparison.
    pub(crate) fn function(&self, scope: &Scope, id: u32, is_old: bool) -> Result<FunctionId, Problem> {
        let found = self.ids(scope)?.in_profile(id, is_old);
        let which = if is_old { "old" } else { "new" };
        found.ok_or_else(|| Problem::new(format!("the {which} profile does not have this function")))
    }
}

/// What a filter leaves of both profiles, of the event type that ranks.
fn filter_notes(analysed: [&Analysed<'_>; 2], pairing: &Pairing) -> Vec<String> {
    let sides = analysed.map(|analysed| &analysed.analysis);
    let column = |at: usize| pairing.columns.get(at).and_then(|columns| columns.get(ranking(columns)));
    column(0).zip(column(1)).map_or_else(Vec::new, |(old, new)| compared_notes(sides, [old, new]))
}

impl SharedDocument for ComparisonDocument<'_> {
    fn prepare(&self) {
        self.old.prepare();
        self.new.prepare();
    }
}

impl Document for ComparisonDocument<'_> {
    fn shared(&self) -> Option<&dyn SharedDocument> {
        Some(self)
    }

    fn about(&self) -> About {
        about::known_about(self).unwrap_or_else(|problem| About {
            kind: DocumentKind::Comparison,
            format: String::new(),
            sentence: problem.message,
            findings: Vec::new(),
            remarks: Vec::new(),
            profile: None,
            trace: None,
        })
    }

    /// Each question is answered by the module of its view; what is not compared, by the new profile.
    fn answer(&self, question: &Question) -> Result<String, Problem> {
        match question {
            Question::Functions { group: Some(_), .. } => json(&table::groups(self, question)?),
            Question::Functions { .. } => json(&table::functions(self, question)?),
            Question::Headline { scope } => json(&about::headline(self, scope)?),
            Question::Calls { scope, function, events } => {
                json(&calls::calls(self, scope, *function, events)?)
            }
            Question::Flame { scope, .. }
            | Question::Treemap { scope, .. }
            | Question::Graph { scope, .. } => pictures::picture(self, scope, question),
            Question::Source { scope, function, events, instructions } => {
                json(&source::source(self, scope, (*function, *instructions), events)?)
            }
            Question::Lines { scope, events, sort, inclusive, limit } => {
                json(&lines::lines(self, (scope, events), (*sort, *inclusive), *limit)?)
            }
            Question::Event { scope, definition } => json(&event::check(self, scope, definition)?),
            Question::Shown { path } => json(&(self.old.is_shown(path) || self.new.is_shown(path))),
            Question::Data { scope } => {
                let (scope, _) = self.of_profile((scope, &[]), false)?;
                self.new.answer(&Question::Data { scope })
            }
            other => self.new.answer(other),
        }
    }
}
