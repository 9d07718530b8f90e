//! What a profile is, and the answer that comes first.

use lotse_profile::answer::{EventAnswer, FunctionAnswer, default_event, remarks};
use lotse_profile::events::{Column, EventTypes, column_notes};
use lotse_profile::filter::Filter;
use lotse_profile::parts::parts;
use lotse_profile::report::{top_sentence, totals_line};
use lotse_profile::top::{TopOrder, TopQuery, top};
use lotse_profile::{answer::PartAnswer, digest};

use super::amount::{Amounts, event_type};
use super::{Analysed, ProfileDocument};
use crate::api::{About, DocumentKind, Headline, PartRow, Problem, ProfileAbout, Remark, Scope};
use crate::findings::finding_rows;

/// The answer first; a problem becomes the sentence, so that the page shows it.
pub(super) fn about(document: &ProfileDocument<'_>) -> About {
    known(document).unwrap_or_else(|problem| About {
        kind: DocumentKind::Profile,
        format: document.opened.format.to_owned(),
        sentence: problem.message,
        findings: Vec::new(),
        remarks: Vec::new(),
        profile: None,
        trace: None,
    })
}

/// The sentence, findings and remarks of the default parts.
fn known(document: &ProfileDocument<'_>) -> Result<About, Problem> {
    let scope = Scope::default();
    let scoped = document.analysis(&scope)?;
    let analysed = scoped.get();
    let types = document.event_types(&scope)?;
    let columns: Vec<Column> = types.default().cloned().into_iter().collect();
    let findings =
        finding_rows(&document.findings(analysed), |finding| super::evidence(&analysed.analysis, finding));
    let about =
        column_notes(&columns, (!analysed.analysis.counted).then_some("the file does not count calls"));
    let notes: Vec<String> = analysed.summary.notes.iter().cloned().chain(about).collect();
    let notes = notes.into_iter().chain(types.problems().iter().cloned()).collect::<Vec<_>>();
    Ok(About {
        kind: DocumentKind::Profile,
        format: document.opened.format.to_owned(),
        sentence: sentence(analysed, &columns),
        findings,
        remarks: remarks(&document.opened.diagnostics, &notes).into_iter().map(Remark::from).collect(),
        profile: Some(profile_about(document, analysed, &types)),
        trace: None,
    })
}

/// The sentence about the functions that a scope selects, by the event type that it ranks by.
pub(super) fn headline(document: &ProfileDocument<'_>, scope: &Scope) -> Result<Headline, Problem> {
    let scoped = document.analysis(scope)?;
    let columns = [document.weight(scope)?];
    Ok(Headline { sentence: sentence(scoped.get(), &columns), proposals: Vec::new(), restated: None })
}

/// The sentence that `lotse profile top` begins with.
fn sentence(analysed: &Analysed<'_>, columns: &[Column]) -> String {
    let profile = analysed.analysis.profile;
    let events = EventAnswer::for_columns(columns, &analysed.summary.totals);
    let filter = Filter::default();
    let by = |order: TopOrder| {
        let query = TopQuery { columns, order, limit: Some(digest::LONGEST_LIST), filter: &filter };
        top(profile, &analysed.summary, &query)
    };
    let mut rows: Vec<FunctionAnswer> = by(TopOrder::Own);
    if analysed.summary.origin.lacks_calls() {
        rows.iter_mut().for_each(|row| row.inclusive.clone_from(&row.own));
    } else {
        rows.extend(by(TopOrder::Inclusive));
    }
    let sentence = top_sentence(columns, &events, &rows).unwrap_or_else(|| totals_line(columns, &events));
    if analysed.is_estimate { by_estimate(&sentence) } else { sentence }
}

/// A sentence about costs that are divided in proportion to the calls.
pub(crate) fn by_estimate(sentence: &str) -> String {
    format!("By estimate: {sentence}")
}

/// What can be asked: event types, parts, groupings, and which kinds of data the file has.
pub(crate) fn profile_about(
    document: &ProfileDocument<'_>,
    analysed: &Analysed<'_>,
    types: &EventTypes,
) -> ProfileAbout {
    let profile = &document.opened.profile;
    let (analysis, own) = (&analysed.analysis, types.own());
    let cycles = analysed.summary.cycle.iter().flatten().next().is_some();
    let threads = super::threads::has_threads(document);
    let groupings =
        [("object", true), ("file", true), ("class", true), ("cycle", cycles), ("thread", threads)];
    ProfileAbout {
        command: profile.command.clone(),
        events: types.all().iter().map(|column| event_type(column, &analysis.totals)).collect(),
        default_event: default_event(profile)
            .unwrap_or_else(|| own.first().map_or_else(String::new, |it| it.name.clone())),
        parts: parts(profile, &analysed.summary)
            .into_iter()
            .map(|part| part_row(part, &own, analysed))
            .collect(),
        function_count: analysed.summary.functions,
        has_calls: !analysis.origin.lacks_calls(),
        has_counts: analysis.counted,
        has_inclusive: !analysis.origin.lacks_calls(),
        has_data: !profile.data.is_empty(),
        groupings: groupings.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect(),
    }
}

fn part_row(part: PartAnswer, columns: &[Column], analysed: &Analysed<'_>) -> PartRow {
    let amount = |(column, cost): (&Column, &lotse_profile::events::Cost)| {
        Amounts::of_total(column, &analysed.summary.totals).amount(*cost)
    };
    PartRow {
        number: part.number,
        name: part.name,
        process: part.process.map(|number| number as f64),
        thread: part.thread.map(|number| number as f64),
        trigger: part.trigger,
        chosen: part.chosen,
        samples: part.samples,
        totals: columns.iter().zip(&part.totals).map(amount).collect(),
    }
}

impl From<lotse_profile::answer::DiagnosticAnswer> for Remark {
    fn from(it: lotse_profile::answer::DiagnosticAnswer) -> Self {
        Self { place: it.place, message: it.message, loss: it.loss }
    }
}
