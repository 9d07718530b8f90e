//! The answer that comes first, and what takes its place when the user accepts renames.

use std::sync::PoisonError;

use lotse_profile::diff::{DiffAnswer, DiffOrder, RenameHint};
use lotse_profile::filter::Filter;
use lotse_profile::report::diff_sentence;
use lotse_profile::rules::{ComparisonContext, compared_findings};
use lotse_report::number::format_share;

use super::{Compared, ComparisonDocument, RowChoice, event};
use crate::api::{
    About, DocumentKind, FindingRow, FunctionRename, Headline, Problem, Remark, RenameProposal, Restated,
    Scope,
};
use crate::findings::finding_rows;
use crate::open::Document;
use crate::profile::{by_estimate, evidence};

/// The sentence about profiles without a difference.
const SAME: &str = "The profiles do not differ.";

/// What changed most, in a sentence; the new profile's event types and parts; remarks on both files.
pub(super) fn known_about(document: &ComparisonDocument<'_>) -> Result<About, Problem> {
    let compared = by_difference(document, &Scope::default())?;
    let new = document.new.about();
    let hints = rename_hints(&compared.answer).map(Remark::note);
    let files = file_remarks(document).iter().cloned();
    Ok(About {
        kind: DocumentKind::Comparison,
        format: format!("{} and {}", document.old.opened().format, document.new.opened().format),
        sentence: sentence(&compared),
        findings: findings(document, &compared)?,
        remarks: notes(&compared).chain(hints).chain(files).collect(),
        profile: event::with_old_totals(document, new.profile)?,
        trace: None,
    })
}

/// What changed most in a scope, in a sentence, and which functions may have been renamed.
pub(super) fn headline(document: &ComparisonDocument<'_>, scope: &Scope) -> Result<Headline, Problem> {
    let compared = by_difference(document, scope)?;
    let proposal = |hint: &RenameHint| RenameProposal {
        rename: FunctionRename { old: hint.old.clone(), new: hint.new.clone() },
        evidence: evidence_of(hint),
    };
    Ok(Headline {
        sentence: sentence(&compared),
        proposals: compared.answer.renames.iter().map(proposal).collect(),
        restated: Some(restated(document, &scope.renames)?),
    })
}

/// Remarks and findings about the whole profiles with the renames of the page. The last ones are kept, since a headline is
/// asked for each choice of event type, parts and filters.
fn restated(document: &ComparisonDocument<'_>, renames: &[FunctionRename]) -> Result<Restated, Problem> {
    let known = || document.restated.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, restated)) = known().as_ref().filter(|(of, _)| of == renames) {
        return Ok(restated.clone());
    }
    let compared = by_difference(document, &Scope { renames: renames.to_vec(), ..Scope::default() })?;
    let restated = Restated {
        remarks: notes(&compared).chain(file_remarks(document).iter().cloned()).collect(),
        findings: (!renames.is_empty()).then(|| explained(document, &compared)).transpose()?,
    };
    *known() = Some((renames.to_vec(), restated.clone()));
    Ok(restated)
}

fn by_difference(document: &ComparisonDocument<'_>, scope: &Scope) -> Result<Compared, Problem> {
    let filter = Filter::default();
    let choice = RowChoice { order: DiffOrder::Difference, inclusive: false, filter: &filter };
    document.compare(scope, &[], choice)
}

fn sentence(compared: &Compared) -> String {
    let sentence = diff_sentence(&compared.columns, &compared.answer, true);
    let sentence = sentence.unwrap_or_else(|| SAME.to_owned());
    let is_estimate = compared.marks.iter().any(|marks| !marks.own.is_empty());
    if is_estimate { by_estimate(&sentence) } else { sentence }
}

fn notes(compared: &Compared) -> impl Iterator<Item = Remark> + '_ {
    compared.notes.iter().cloned().map(Remark::note)
}

/// The remarks on both files, which do not depend on any choice.
fn file_remarks<'d>(document: &'d ComparisonDocument<'_>) -> &'d [Remark] {
    document.file_remarks.get_or_init(|| {
        let named = |(name, about): (&'static str, About)| {
            about
                .remarks
                .into_iter()
                .map(move |it| Remark { message: format!("{name}: {}", it.message), ..it })
        };
        [("old", document.old.about()), ("new", document.new.about())].into_iter().flat_map(named).collect()
    })
}

fn findings(document: &ComparisonDocument<'_>, compared: &Compared) -> Result<Vec<FindingRow>, Problem> {
    let scoped = document.new.analysis(&Scope::default())?;
    let context = ComparisonContext {
        answer: &compared.answer,
        call: document.new.call(),
        thresholds: document.new.thresholds(),
    };
    let found = compared_findings(&context);
    Ok(finding_rows(&found, |finding| evidence(&scoped.get().analysis, finding)))
}

/// Findings that the session does not complete. The page has the explanations of rules that fired before.
fn explained(document: &ComparisonDocument<'_>, compared: &Compared) -> Result<Vec<FindingRow>, Problem> {
    let explain = |row: FindingRow| FindingRow {
        explanation: format!("`lotse explain {}` prints how the rule works.", row.rule),
        ..row
    };
    Ok(findings(document, compared)?.into_iter().map(explain).collect())
}

/// Names the functions that may have been renamed, and how to say so.
fn rename_hints(answer: &DiffAnswer) -> impl Iterator<Item = String> {
    answer.renames.iter().map(|hint| {
        let RenameHint { old, new, .. } = hint;
        let evidence = evidence_of(hint);
        format!("perhaps renamed: {old} → {new} ({evidence}); `lotse open --compare --rename OLD=NEW` makes them one row")
    })
}

/// Why two functions may be one: `78 %: similar name, same file`.
fn evidence_of(hint: &RenameHint) -> String {
    format!("{}: {}", format_share(hint.score, 0), hint.reasons.join(", "))
}
