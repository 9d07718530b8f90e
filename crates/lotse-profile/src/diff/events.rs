//! Chooses the event types that are compared, and whether by cost or by share.

use super::Basis;
use crate::events::{Column, EventError, EventTypes, ranking};

/// The event types to compare.
#[derive(Debug, Clone)]
pub struct Pairing {
    /// The event types of each profile; the same number for all.
    pub columns: Vec<Vec<Column>>,
    pub basis: Basis,
    pub notes: Vec<String>,
}

impl Pairing {
    /// If shares are compared, the name of an event type that has none.
    pub fn without_shares(&self) -> Option<&str> {
        let columns = self.columns.iter().flatten().filter(|_| self.basis == Basis::Share);
        columns.into_iter().find(|column| !column.adds_up()).map(|column| column.name.as_str())
    }

    /// Keeps only the event type that rows are ranked by, or the first for which `has` holds if it does not hold for that.
    pub fn keep_one(&mut self, has: impl Fn(&Column) -> bool) {
        let first = self.columns.first().map_or(&[][..], Vec::as_slice);
        let ranked = ranking(first);
        let fits = |at: &usize| first.get(*at).is_some_and(&has);
        let at = Some(ranked).filter(fits).or_else(|| (0..first.len()).find(fits)).unwrap_or(ranked);
        for columns in &mut self.columns {
            *columns = columns.drain(..).skip(at).take(1).collect();
        }
    }
}

/// Pairs event types by name. If no name is common, the default event types are compared, by share of the total.
///
/// Without a choice, all event types of the first profile are compared that the others have too.
pub fn pair(
    profiles: &[(&str, &EventTypes)],
    chosen: &[String],
    by: Option<Basis>,
) -> Result<Pairing, EventError> {
    if !chosen.is_empty() && profiles.iter().all(|(_, types)| types.choose(chosen).is_ok()) {
        let columns: Result<Vec<_>, _> = profiles.iter().map(|(_, types)| types.choose(chosen)).collect();
        return Ok(with_basis(profiles, columns?, by));
    }
    let Some((_, first)) = profiles.first() else {
        return Ok(Pairing { columns: Vec::new(), basis: Basis::Cost, notes: Vec::new() });
    };
    let wanted = if chosen.is_empty() { first.own() } else { first.choose(chosen)? };
    let common: Vec<&Column> = wanted
        .iter()
        .filter(|column| profiles.iter().all(|(_, types)| same(types, column).is_some()))
        .collect();
    if common.is_empty() {
        let alike = alike(profiles, &wanted).map(|columns| Pairing {
            notes: vec![format!("compared as the same thing under other names: {}", names(&columns))],
            ..with_basis(profiles, columns, by)
        });
        return Ok(alike.unwrap_or_else(|| first_with_first(profiles, &wanted)));
    }
    let common_columns =
        |(_, types): &(&str, &EventTypes)| common.iter().filter_map(|column| same(types, column)).collect();
    let mut pairing = with_basis(profiles, profiles.iter().map(common_columns).collect(), by);
    if chosen.is_empty() {
        pairing.notes.extend(left_out(profiles, &common));
    }
    Ok(pairing)
}

/// Event types of heap profilers that count the same thing.
const ALIKE: &[&[&str]] = &[
    &["at_t_gmax_bytes", "peak", "mem_heap_B"],
    &["total_bytes", "allocated_bytes"],
    &["total_blocks", "allocations"],
    &["at_t_end_bytes", "leaked"],
];

/// One event type of each profile that counts the same thing under another name: the one that the first profile is
/// ranked by, or else the first that all profiles have.
fn alike(profiles: &[(&str, &EventTypes)], wanted: &[Column]) -> Option<Vec<Vec<Column>>> {
    let find = |types: &EventTypes, group: &[&str]| {
        types.all().iter().find(|column| group.contains(&column.name.as_str())).cloned()
    };
    let columns = |group: &&[&str]| -> Option<Vec<Vec<Column>>> {
        profiles.iter().map(|(_, types)| find(types, group).map(|column| vec![column])).collect()
    };
    let ranked = wanted.get(ranking(wanted)).map_or("", |column| column.name.as_str());
    let preferred = ALIKE.iter().filter(|group| group.contains(&ranked));
    preferred.chain(ALIKE).find_map(columns)
}

fn names(columns: &[Vec<Column>]) -> String {
    columns.iter().flatten().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The event type of the same name and unit.
fn same(types: &EventTypes, column: &Column) -> Option<Column> {
    types.all().iter().find(|it| it.name == column.name && it.unit == column.unit).cloned()
}

/// Compares by the chosen basis, or else by cost if the formats are the same, and by share if they differ.
fn with_basis(profiles: &[(&str, &EventTypes)], columns: Vec<Vec<Column>>, by: Option<Basis>) -> Pairing {
    let mut formats: Vec<&str> = profiles.iter().map(|(format, _)| *format).collect();
    formats.dedup();
    match by {
        Some(basis) => Pairing { columns, basis, notes: Vec::new() },
        None if formats.len() < 2 => Pairing { columns, basis: Basis::Cost, notes: Vec::new() },
        None => {
            let note = format!(
                "the formats differ ({}), so shares of the total are compared; --by cost compares the numbers",
                formats.join(", ")
            );
            Pairing { columns, basis: Basis::Share, notes: vec![note] }
        }
    }
}

/// Compares the default event types by share; none if a profile has no event type.
fn first_with_first(profiles: &[(&str, &EventTypes)], wanted: &[Column]) -> Pairing {
    let wanted = wanted.get(ranking(wanted));
    let column = |(_, types): &(&str, &EventTypes)| {
        let named = wanted.and_then(|wanted| same(types, wanted));
        named.or_else(|| types.default().cloned()).into_iter().collect::<Vec<_>>()
    };
    let columns: Vec<Vec<Column>> = profiles.iter().map(column).collect();
    let note = format!("the event types differ ({}), so shares of the total are compared", names(&columns));
    let complete = columns.iter().all(|columns| columns.len() == 1);
    let columns = if complete { columns } else { vec![Vec::new(); profiles.len()] };
    Pairing { columns, basis: Basis::Share, notes: vec![note] }
}

/// A note that lists the event types that not all profiles have.
fn left_out(profiles: &[(&str, &EventTypes)], common: &[&Column]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for column in profiles.iter().flat_map(|(_, types)| types.own()) {
        if !common.iter().any(|it| it.name == column.name) && !names.contains(&column.name) {
            names.push(column.name);
        }
    }
    (!names.is_empty()).then(|| format!("not compared, for not all profiles have them: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use lotse_model::profile::EventType;

    use super::{Pairing, pair};
    use crate::analysis::tests::summed;
    use crate::diff::Basis;
    use crate::events::EventTypes;

    fn types(names: &[&str]) -> EventTypes {
        let mut profile = summed(&[], &[]);
        profile.events = names.iter().map(|name| EventType::count(name)).collect();
        EventTypes::new(&profile, &[]).unwrap()
    }

    fn paired(
        formats: [&str; 2],
        one: &[&str],
        two: &[&str],
        by: Option<Basis>,
    ) -> (Vec<Vec<String>>, Basis, usize) {
        let (one, two) = (types(one), types(two));
        let Pairing { columns, basis, notes } =
            pair(&[(formats[0], &one), (formats[1], &two)], &[], by).unwrap();
        let names = |columns: &Vec<crate::events::Column>| columns.iter().map(|it| it.name.clone()).collect();
        (columns.iter().map(names).collect(), basis, notes.len())
    }

    #[test]
    fn common_names_are_compared_by_cost() {
        let found = paired(["callgrind"; 2], &["Ir", "Dr"], &["Dr", "Ir", "Dw"], None);
        assert_eq!(found, (vec![vec!["Ir".to_owned(), "Dr".into()]; 2], Basis::Cost, 1));
    }

    #[test]
    fn nothing_in_common_is_compared_by_share_whatever_the_basis() {
        let found = paired(["callgrind", "perf-script"], &["Ir"], &["samples"], Some(Basis::Cost));
        assert_eq!(found, (vec![vec!["Ir".to_owned()], vec!["samples".into()]], Basis::Share, 1));
    }

    #[test]
    fn heap_profilers_name_the_same_thing_differently() {
        let dhat = ["total_bytes", "at_t_gmax_bytes"];
        let found = paired(["dhat", "heaptrack"], &dhat, &["peak", "allocated_bytes"], Some(Basis::Cost));
        assert_eq!(
            found,
            (vec![vec!["total_bytes".to_owned()], vec!["allocated_bytes".into()]], Basis::Cost, 1)
        );
        let found = paired(["dhat", "massif"], &dhat, &["mem_heap_B"], Some(Basis::Cost));
        assert_eq!(
            found,
            (vec![vec!["at_t_gmax_bytes".to_owned()], vec!["mem_heap_B".into()]], Basis::Cost, 1)
        );
    }

    #[test]
    fn other_formats_are_compared_by_share_unless_a_basis_is_given() {
        let formats = ["collapsed", "perf-script"];
        assert_eq!(paired(formats, &["samples"], &["samples"], None).1, Basis::Share);
        assert_eq!(paired(formats, &["samples"], &["samples"], Some(Basis::Cost)).1, Basis::Cost);
    }

    #[test]
    fn a_wrong_name_is_an_error() {
        let one = types(&["Ir"]);
        assert!(pair(&[("callgrind", &one), ("callgrind", &one)], &["Xy".to_owned()], None).is_err());
    }
}
