//! The analysis of a scope: of the chosen parts, or of the samples that a selection keeps.

use lotse_profile::analysis::{Analysis, CycleMode, PartChoice, Summary};
use lotse_profile::open::{Opened, SelectedProfile};
use lotse_profile::select::Selection;
use self_cell::self_cell;

use super::ProfileDocument;
use super::accepted::AcceptedFunctions;
use crate::api::{Problem, Scope};

/// An analysis, and what lists of functions need of it.
pub(crate) struct Analysed<'a> {
    pub(crate) analysis: Analysis<'a>,
    pub(crate) summary: Summary,
    /// Whether all costs are estimates: samples were selected in a file that has calls and no stacks.
    pub(crate) is_estimate: bool,
    /// What the last filters accept.
    pub(crate) accepted: AcceptedFunctions,
}

impl<'a> Analysed<'a> {
    fn new(analysis: Analysis<'a>) -> Self {
        let summary = analysis.summary();
        Self { analysis, summary, is_estimate: false, accepted: AcceptedFunctions::default() }
    }
}

self_cell!(
    /// The selected samples, copied out of the profile, and their analysis.
    struct SelectedAnalysis {
        owner: SelectedProfile,
        #[covariant]
        dependent: Analysed,
    }
);

/// The analysis of a scope.
pub(crate) enum ScopedAnalysis<'a> {
    Parts(Box<Analysed<'a>>),
    Selection(Box<SelectedCell>),
}

/// Hides the type that the macro makes.
pub(crate) struct SelectedCell(SelectedAnalysis);

impl ScopedAnalysis<'_> {
    pub(crate) fn get(&self) -> &Analysed<'_> {
        match self {
            Self::Parts(analysed) => analysed,
            Self::Selection(cell) => cell.0.borrow_dependent(),
        }
    }

    /// Whether samples or frames were left out.
    pub(crate) fn is_selection(&self) -> bool {
        matches!(self, Self::Selection(_))
    }
}

/// Sums the parts of a scope.
pub(crate) fn parts_analysis<'a>(
    opened: &'a Opened<'a>,
    scope: &Scope,
) -> Result<ScopedAnalysis<'a>, Problem> {
    let choice = part_choice(scope)?;
    let analysis = opened.analysis(&choice, CycleMode::Folded).map_err(Problem::new)?;
    let known = opened.known_summary(&choice, CycleMode::Folded).cloned();
    let summary = known.unwrap_or_else(|| analysis.summary());
    let accepted = AcceptedFunctions::default();
    Ok(ScopedAnalysis::Parts(Box::new(Analysed { analysis, summary, is_estimate: false, accepted })))
}

/// The samples and frames that a scope selects. In a comparison, one of the profiles may have no function that the focus
/// matches: then nothing is left of it.
pub(crate) fn selection(document: &ProfileDocument<'_>, scope: &Scope) -> Result<Selection, Problem> {
    let texts = [&scope.focus, &scope.ignore, &scope.hide, &None].map(Option::as_deref);
    let selection = Selection::of_fields(texts).map_err(Problem::new)?;
    Ok(match &document.other {
        Some(other) if !selection.is_empty() => {
            selection.or_nothing().with_names(other.names(&document.opened.profile, &scope.renames))
        }
        _ => selection,
    })
}

/// Sums only the selected samples and frames of the parts of an analysis.
pub(crate) fn selected_analysis<'a>(
    whole: &Analysis<'_>,
    selection: &Selection,
) -> Result<ScopedAnalysis<'a>, Problem> {
    let is_estimate = whole.samples.is_none();
    let selected = SelectedProfile::new(whole, selection).map_err(Problem::new)?;
    let cell = SelectedAnalysis::try_new(selected, |selected| {
        let analysed = selected.analysis(CycleMode::Folded).map(Analysed::new).map_err(Problem::new)?;
        Ok::<_, Problem>(Analysed { is_estimate, ..analysed })
    });
    Ok(ScopedAnalysis::Selection(Box::new(SelectedCell(cell?))))
}

/// What a scope selects, for one question.
pub(crate) fn scoped_analysis<'a>(
    document: &ProfileDocument<'a>,
    scope: &Scope,
) -> Result<ScopedAnalysis<'a>, Problem> {
    let (selection, whole) = (selection(document, scope)?, parts_analysis(document.opened, scope)?);
    if selection.is_empty() { Ok(whole) } else { selected_analysis(&whole.get().analysis, &selection) }
}

fn part_choice(scope: &Scope) -> Result<PartChoice, Problem> {
    match scope.parts.as_deref() {
        None => Ok(PartChoice::Default),
        Some([]) => Err(Problem::new("no part is chosen")),
        Some(numbers) => Ok(PartChoice::Named(numbers.iter().map(usize::to_string).collect())),
    }
}
