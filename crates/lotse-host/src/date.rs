//! Dates in UTC, for exported results.

use std::time::SystemTime;

/// The current time in UTC in the format of RFC 3339, to the second.
pub fn utc_now() -> String {
    utc_of(SystemTime::now())
}

/// A time in UTC in the format of RFC 3339, to the second.
pub fn utc_of(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    utc(since.map_or(0, |since| since.as_secs()))
}

/// Days are counted in eras of 400 years that begin on 1 March, so that the leap day is the last day of its year.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_match_those_of_gnu_date() {
        // date -u -d @N +%FT%TZ
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(utc(seconds), expected);
        }
    }
}
