//! Costs by thread: parts of the profile with the same process and thread, added up.
//!
//! The groups add up to the whole: what no thread has is a group of its own.

use std::collections::BTreeMap;

use lotse_model::profile::Part;
use lotse_profile::analysis::Analysis;
use lotse_profile::events::{Column, Cost, ranking};
use lotse_profile::groups::GroupAnswer;
use lotse_profile::top::TopOrder;

use super::analysed::scoped_analysis;
use super::{ProfileDocument, Scope};
use crate::api::Problem;

/// The name of the group for parts whose thread the file does not say.
const UNKNOWN: &str = "thread unknown";
/// With a filter every thread is analysed for itself; more would take long.
const MOST_FILTERED: usize = 200;

/// Process, thread, and the name of the part if neither has a number.
type ThreadKey<'p> = (Option<u64>, Option<u64>, &'p str);

/// Whether the file says which thread its costs are of. The profiles in a speedscope file are its threads.
pub(super) fn has_threads(document: &ProfileDocument<'_>) -> bool {
    let opened = document.opened();
    let parts = &opened.profile.parts;
    parts.iter().any(|part| part.thread.is_some()) || (opened.format == "speedscope" && parts.len() > 1)
}

/// The threads of a scope with their costs.
pub(super) fn groups(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    columns: &[Column],
    order: TopOrder,
) -> Result<Vec<GroupAnswer>, Problem> {
    let threads = threads(document, scope)?;
    let scoped = document.analysis(scope)?;
    // Totals of selected samples are those of the whole; what is left of it is the sum of self costs.
    let mut rest = match scoped.is_selection() {
        false => scoped.get().analysis.totals.clone(),
        true => self_costs(&scoped.get().analysis),
    };
    let mut found = Vec::new();
    for (name, parts) in &threads {
        let totals = match scoped.is_selection() {
            false => totals_of(document, scope, parts)?,
            true => filtered_totals(document, scope, parts, threads.len())?,
        };
        rest.iter_mut().zip(&totals).for_each(|(rest, own)| *rest -= own);
        found.push(group(name, &totals, columns));
    }
    if rest.iter().any(|cost| *cost != 0) {
        found.push(group("in no thread", &rest, columns));
    }
    let at = ranking(columns);
    match order {
        TopOrder::Name => found.sort_by(|a, b| a.name.cmp(&b.name)),
        _ => found.sort_by(|a, b| b.own[at].compare(&a.own[at])),
    }
    Ok(found)
}

/// The scope with only the parts of a thread.
pub(super) fn scope_of(document: &ProfileDocument<'_>, scope: &Scope, name: &str) -> Result<Scope, Problem> {
    let parts = threads(document, scope)?.remove(name);
    let parts = parts.ok_or_else(|| Problem::new(format!("there is no thread {name:?} in these parts")))?;
    Ok(Scope { parts: Some(parts), ..scope.clone() })
}

/// The numbers of the chosen parts by the name of their thread.
fn threads(document: &ProfileDocument<'_>, scope: &Scope) -> Result<BTreeMap<String, Vec<usize>>, Problem> {
    if !has_threads(document) {
        let format = document.opened().format;
        return Err(Problem::new(format!(
            "this file in the format {format} does not say which thread costs are of"
        )));
    }
    let whole = Scope { focus: None, ignore: None, hide: None, ..scope.clone() };
    let scoped = document.analysis(&whole)?;
    let profile = &document.opened().profile;
    let mut named: BTreeMap<ThreadKey<'_>, Vec<usize>> = BTreeMap::new();
    for id in &scoped.get().analysis.parts {
        let part = &profile.parts[id.index()];
        // Without a number of its own, the name of the part is all that is known of the thread.
        let name = if part.thread.is_none() && part.process.is_none() { part.name.as_str() } else { "" };
        named.entry((part.process, part.thread, name)).or_default().push(id.index() + 1);
    }
    let several = named.keys().map(|key| key.0).collect::<std::collections::BTreeSet<_>>().len() > 1;
    let mut threads: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (key, numbers) in named {
        let parts = numbers.iter().map(|number| &profile.parts[number - 1]);
        threads.entry(thread_name(key, parts, several)).or_default().extend(numbers);
    }
    Ok(threads)
}

/// "thread 7", with the names of its parts if they say more, and with the process if there are several.
fn thread_name<'a>(
    (process, thread, name): ThreadKey<'_>,
    parts: impl Iterator<Item = &'a Part>,
    several: bool,
) -> String {
    let number = match (thread, name) {
        (Some(thread), _) => format!("thread {thread}"),
        (None, "") => UNKNOWN.to_owned(),
        (None, name) => name.to_owned(),
    };
    let process =
        process.filter(|_| several).map_or_else(String::new, |process| format!("process {process}, "));
    let mut names: Vec<&str> = parts.map(|part| part.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [only] if thread.is_some() && !only.contains(&number) => format!("{process}{number} ({only})"),
        _ => format!("{process}{number}"),
    }
}

/// The sum of parts, as the list of parts has them.
fn totals_of(document: &ProfileDocument<'_>, scope: &Scope, parts: &[usize]) -> Result<Vec<i128>, Problem> {
    let whole = Scope { focus: None, ignore: None, hide: None, ..scope.clone() };
    let scoped = document.analysis(&whole)?;
    let sums = &scoped.get().summary.parts;
    let mut totals = vec![0; document.opened().profile.events.len()];
    for number in parts {
        let part = sums.get(number - 1).ok_or_else(|| Problem::new("a part has no totals"))?;
        totals.iter_mut().zip(&part.totals).for_each(|(sum, own)| *sum += own);
    }
    Ok(totals)
}

/// The costs of the selected samples of a thread; none of them may be in it.
fn filtered_totals(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    parts: &[usize],
    count: usize,
) -> Result<Vec<i128>, Problem> {
    if count > MOST_FILTERED {
        let why =
            format!("{count} threads are too many to group with a filter; choose parts, or clear the filter");
        return Err(Problem::new(why));
    }
    let one =
        Scope { parts: Some(parts.to_vec()), event: None, define: Vec::new(), side: None, ..scope.clone() };
    match scoped_analysis(document, &one) {
        Ok(scoped) => Ok(self_costs(&scoped.get().analysis)),
        // A thread without a matching sample has no cost; the rest shows if that was another problem.
        Err(_) => Ok(vec![0; document.opened().profile.events.len()]),
    }
}

/// The sum of the self costs of all functions.
fn self_costs(analysis: &Analysis<'_>) -> Vec<i128> {
    analysis.own.totals()
}

/// Self and inclusive cost of a thread are the same: all of it.
fn group(name: &str, totals: &[i128], columns: &[Column]) -> GroupAnswer {
    let costs: Vec<Cost> = columns.iter().map(|column| column.total(totals)).collect();
    GroupAnswer { name: name.to_owned(), functions: 0, own: costs.clone(), inclusive: costs, exact: true }
}
