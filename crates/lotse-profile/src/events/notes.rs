//! Notes about the event types of a table.

use super::Column;

/// Notes why costs or shares are missing. `uncounted` is the reason why numbers of calls are unknown.
pub fn column_notes(columns: &[Column], uncounted: Option<&str>) -> Vec<String> {
    let missing = |column: &Column| {
        let why = uncounted.filter(|_| column.needs_calls())?;
        Some(format!("{} has no values: {why}", column.name))
    };
    let missing = columns.iter().filter_map(missing);
    let mixed = columns.iter().filter(|column| column.is_mixed()).map(|column| {
        format!(
            "{} has costs above and below zero, as the difference of two profiles: functions are sorted by magnitude, \
             and there are no shares",
            column.name
        )
    });
    missing.chain(mixed).collect()
}
