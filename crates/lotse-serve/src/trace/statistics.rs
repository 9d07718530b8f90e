//! How time is spent in a window, as a table.

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
use lotse_report::number::{format_seconds, format_share};
use lotse_trace::inspect::{Statistics, TimeRow, region_times, wait_times};
use lotse_trace::marks::mark_of_sum;
use lotse_trace::metric::{Bound, Metric, Parent};
use lotse_trace::store::OUTSIDE;

use super::TraceDocument;
use super::picture::empty_window;
use crate::api::{Amount, Problem, StatisticsOf, StatisticsRow, StatisticsTable};

/// More rows than anybody reads.
const MOST_ROWS: usize = 1000;

/// Which statistics are asked for.
pub(super) struct StatisticsQuestion<'q> {
    pub(super) from: Option<f64>,
    pub(super) to: Option<f64>,
    pub(super) of: StatisticsOf,
    pub(super) location: Option<u32>,
    /// The row whose locations are listed.
    pub(super) row: Option<&'q str>,
}

/// A row without its texts: what identifies it, its title, what it is part of, how its times are bounded.
struct Entry {
    id: String,
    name: String,
    class: String,
    bound: Bound,
    ticks: Ticks,
    by_location: Vec<(LocationId, Ticks)>,
    /// The part of these times that the clocks leave in doubt.
    doubtful: BTreeMap<LocationId, Ticks>,
}

impl Entry {
    /// The mark of the time of one location.
    fn mark_at(&self, location: LocationId, ticks: Ticks) -> &'static str {
        mark_of_sum(self.bound, self.doubtful.get(&location).copied().unwrap_or(0), ticks)
    }
}

impl TraceDocument {
    /// The table of a window: by region or kind of waiting, or by location for one of them.
    pub(super) fn statistics(&self, question: &StatisticsQuestion<'_>) -> Result<StatisticsTable, Problem> {
        let trace = &self.subject.trace;
        let from = question.from.map_or(trace.first_tick(), |from| self.time(from));
        let to = question.to.map_or(trace.last_tick(), |to| self.time(to)).min(trace.last_tick());
        if from >= to {
            return Err(empty_window());
        }
        let locations = match question.location {
            Some(number) => vec![self.location(number)?],
            None => self.index.locations().to_vec(),
        };
        let (entries, recorded, unknown) = match question.of {
            StatisticsOf::Regions => {
                let times = region_times(trace, &self.index, &locations, (from, to));
                let entries = times.rows.into_iter().map(|row| self.region_entry(row)).collect();
                (entries, times.recorded, Vec::new())
            }
            StatisticsOf::Waits => {
                let Statistics { rows, recorded, unknown } =
                    wait_times((trace, &self.subject.waits), &locations, (from, to));
                let doubtful = self.doubtful_times(&locations, (from, to));
                let entry = |row| wait_entry(row, &doubtful);
                (rows.into_iter().map(entry).collect::<Vec<_>>(), recorded, unknown)
            }
        };
        let whole: Ticks = recorded.iter().map(|it| it.1).fold(0, Ticks::saturating_add);
        let mut rows = match question.row {
            Some(id) => self.rows_by_location(entries, id, &recorded),
            None => entries.into_iter().map(|entry| self.statistics_row(entry, whole)).collect(),
        };
        let mut hidden = unknown_text(&unknown);
        if rows.len() > MOST_ROWS {
            hidden.push(format!("the {} rows with the least time are left out", rows.len() - MOST_ROWS));
            rows.truncate(MOST_ROWS);
        }
        Ok(StatisticsTable {
            begin: self.exact_at(from),
            end: self.exact_at(to),
            whole: self.share_of(whole, whole, ""),
            rows,
            hidden: hidden.join("; "),
        })
    }

    fn region_entry(&self, row: TimeRow<Option<lotse_model::id::RegionId>>) -> Entry {
        let trace = &self.subject.trace;
        let name = row.what.map_or(OUTSIDE, |region| trace.region_name(region));
        Entry {
            // Regions of the same name are different rows.
            id: row.what.map_or_else(String::new, |region| region.0.to_string()),
            name: name.to_owned(),
            class: row.what.map_or("", |region| trace.classes[region.index()].class.id()).to_owned(),
            bound: Bound::Exact,
            ticks: row.ticks,
            by_location: row.by_location,
            doubtful: BTreeMap::new(),
        }
    }

    /// The time in a window that the clocks leave in doubt, by kind of waiting and location.
    fn doubtful_times(
        &self,
        locations: &[LocationId],
        window: (Ticks, Ticks),
    ) -> BTreeMap<&'static str, BTreeMap<LocationId, Ticks>> {
        let mut times: BTreeMap<&'static str, BTreeMap<LocationId, Ticks>> = BTreeMap::new();
        for wait in locations.iter().flat_map(|&location| self.subject.doubtful_waits(location, window)) {
            *times.entry(wait.metric.id).or_default().entry(wait.location).or_default() += wait.ticks;
        }
        times
    }

    fn statistics_row(&self, entry: Entry, whole: Ticks) -> StatisticsRow {
        // Of equals, the first location.
        let most = entry.by_location.iter().rev().max_by_key(|it| it.1);
        let mark = mark_of_sum(entry.bound, entry.doubtful.values().sum(), entry.ticks);
        StatisticsRow {
            time: self.share_of(entry.ticks, whole, mark),
            locations: Some(entry.by_location.len()),
            most: most.map(|&(location, ticks)| {
                let amount = self.share_of(ticks, entry.ticks, entry.mark_at(location, ticks));
                (self.index.label(location).to_owned(), amount)
            }),
            id: entry.id,
            name: entry.name,
            class: entry.class,
        }
    }

    /// The locations with time in a row, the one with the most first; shares are those of the location's own time.
    fn rows_by_location(
        &self,
        entries: Vec<Entry>,
        id: &str,
        recorded: &[(LocationId, Ticks)],
    ) -> Vec<StatisticsRow> {
        let Some(mut entry) = entries.into_iter().find(|entry| entry.id == id) else { return Vec::new() };
        let mut locations = std::mem::take(&mut entry.by_location);
        locations.sort_by_key(|&(location, ticks)| (std::cmp::Reverse(ticks), location));
        let row = |(location, ticks): (LocationId, Ticks)| {
            let known = recorded.binary_search_by_key(&location, |it| it.0);
            let own = known.map_or(0, |at| recorded[at].1);
            StatisticsRow {
                id: location.0.to_string(),
                name: self.index.label(location).to_owned(),
                class: String::new(),
                time: self.share_of(ticks, own, entry.mark_at(location, ticks)),
                locations: None,
                most: None,
            }
        };
        locations.into_iter().map(row).collect()
    }

    fn share_of(&self, ticks: Ticks, whole: Ticks, mark: &'static str) -> Amount {
        let seconds = self.subject.trace.seconds(ticks);
        let share = (whole > 0).then(|| ticks as f64 / whole as f64);
        Amount {
            value: seconds,
            text: format_seconds(seconds),
            share,
            share_text: share.map_or_else(String::new, |share| format_share(share, 1)),
            mark,
        }
    }
}

fn wait_entry(
    row: TimeRow<&'static Metric>,
    doubtful: &BTreeMap<&'static str, BTreeMap<LocationId, Ticks>>,
) -> Entry {
    Entry {
        id: row.what.id.to_owned(),
        name: row.what.title.to_owned(),
        class: match row.what.parent {
            Parent::Class(class) => class.id().to_owned(),
            Parent::Metric(metric) => format!("part of {}", metric.title),
            Parent::Beside => "also counted elsewhere".to_owned(),
        },
        bound: row.what.bound,
        doubtful: doubtful.get(row.what.id).into_iter().flatten().map(|(at, ticks)| (*at, *ticks)).collect(),
        ticks: row.ticks,
        by_location: row.by_location,
    }
}

fn unknown_text(unknown: &[&'static Metric]) -> Vec<String> {
    if unknown.is_empty() {
        return Vec::new();
    }
    let titles: Vec<&str> = unknown.iter().map(|metric| metric.title).collect();
    vec![format!("known for the whole run only: {}", titles.join(", "))]
}
