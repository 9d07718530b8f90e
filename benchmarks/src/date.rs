//! The date and time in UTC, as results carry them.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// Now, as `2026-11-15T09:30:00Z`.
pub fn now() -> String {
    written(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// Today, as `2026-11-15`.
pub fn today() -> String {
    now().chars().take(10).collect()
}

fn written(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / DAY);
    let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil(mut days: u64) -> (u64, usize, u64) {
    let mut year = 1970;
    while days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    let february = days_of_year(year) - 337;
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month + 1, days + 1)
}

fn days_of_year(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::written;

    /// From `date -u -d @N +%FT%TZ`.
    #[test]
    fn dates_agree_with_gnu_date() {
        let check = |seconds, text| assert_eq!(written(seconds), text);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_709_251_199, "2024-02-29T23:59:59Z");
        check(1_735_689_599, "2024-12-31T23:59:59Z");
        check(1_794_735_000, "2026-11-15T09:30:00Z");
    }
}
