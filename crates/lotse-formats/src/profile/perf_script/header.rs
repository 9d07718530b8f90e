//! Parses the line of a sample: command, process, thread, time, period, event.

/// A sample without its frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SampleHeader<'a> {
    pub(super) comm: &'a str,
    /// `None` unless both numbers are printed: a single number is the thread's.
    pub(super) process: Option<u64>,
    pub(super) thread: Option<u64>,
    /// Nanoseconds.
    pub(super) time: Option<i64>,
    pub(super) period: Option<u64>,
    pub(super) event: Option<&'a str>,
    /// What follows the event on the line.
    pub(super) rest: &'a str,
}

impl<'a> SampleHeader<'a> {
    /// Parses a line. The command may contain blanks and numbers, so the first number is taken after which the rest of the
    /// line has the right form. It must come before the time, since a period could be taken for it otherwise.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let mut words = Words(line);
        words.next()?;
        loop {
            let before = words.0;
            let word = words.next()?;
            if time(word).is_some() {
                return None;
            }
            let Some((process, thread)) = ids(word) else { continue };
            let comm = line[..line.len() - before.len()].trim();
            let found = HeaderTail::parse(words.0);
            if let Some(HeaderTail { time, period, event, rest }) = found {
                return Some(Self { comm, process, thread: Some(thread), time, period, event, rest });
            }
        }
    }
}

/// The rest of the line after process and thread.
struct HeaderTail<'a> {
    time: Option<i64>,
    period: Option<u64>,
    event: Option<&'a str>,
    rest: &'a str,
}

impl<'a> HeaderTail<'a> {
    /// Parses `[cpu] mode time: period event:`, where each field may be missing.
    fn parse(text: &'a str) -> Option<Self> {
        let mut words = Words(text);
        let Some(mut word) = words.next() else {
            return Some(Self { time: None, period: None, event: None, rest: "" });
        };
        // A processor, then letters for the mode.
        for skipped in [is_cpu as fn(&str) -> bool, is_mode] {
            if skipped(word) {
                word = words.next()?;
            }
        }
        let time = time(word);
        let after_time = words.0;
        if time.is_some() {
            match words.next() {
                Some(next) => word = next,
                None => return Some(Self { time, period: None, event: None, rest: "" }),
            }
        }
        let period = word.parse().ok().filter(|_: &u64| word.bytes().all(|byte| byte.is_ascii_digit()));
        if period.is_some() {
            word = words.next()?;
        }
        // Before a time, the number is the thread's and not a period.
        match word.strip_suffix(':').filter(|event| !event.is_empty() && self::time(word).is_none()) {
            Some(event) => Some(Self { time, period, event: Some(event), rest: words.0 }),
            // Without an event, the frame may follow the time.
            None if time.is_some() => Some(Self { time, period: None, event: None, rest: after_time }),
            None => None,
        }
    }
}

/// Splits text into words.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// Parses `12` or `12/34`; perf prints -1 for an unknown id.
fn ids(word: &str) -> Option<(Option<u64>, u64)> {
    let number = |text: &str| if text == "-1" { Some(u64::from(u32::MAX)) } else { digits(text) };
    match word.split_once('/') {
        Some((process, thread)) => Some((Some(number(process)?), number(thread)?)),
        None => Some((None, number(word)?)),
    }
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn is_cpu(word: &str) -> bool {
    let number = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
    number.is_some_and(|number| digits(number).is_some())
}

fn is_mode(word: &str) -> bool {
    word.len() <= 6 && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'/' || byte == b'.')
}

/// Parses `12.345678:` to nanoseconds, exactly.
fn time(word: &str) -> Option<i64> {
    let (seconds, fraction) = word.strip_suffix(':')?.split_once('.')?;
    if fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let scale = 10_u64.pow(9 - fraction.len() as u32);
    let nanos = digits(seconds)?.checked_mul(1_000_000_000)?.checked_add(digits(fraction)? * scale)?;
    i64::try_from(nanos).ok()
}

#[cfg(test)]
mod tests {
    use super::SampleHeader;

    fn parsed(line: &str) -> Option<String> {
        let SampleHeader { comm, process, thread, time, period, event, rest } = SampleHeader::parse(line)?;
        let (process, thread) = (process.unwrap_or(0), thread.unwrap_or(0));
        let (time, period, event) = (time.unwrap_or(0), period.unwrap_or(0), event.unwrap_or("-"));
        Some(format!("{comm}|{process}|{thread}|{time}|{period}|{event}|{}", rest.trim()))
    }

    #[test]
    fn headers_of_all_ages() {
        for (line, expected) in [
            ("perf   977/977   [000] 7628263.042515: cycles: ", "perf|977|977|7628263042515000|0|cycles|"),
            (
                "dd 29776 666709.771979:   10101010 cpu-clock: ",
                "dd|0|29776|666709771979000|10101010|cpu-clock|",
            ),
            ("java  3244 cpu-clock: ", "java|0|3244|0|0|cpu-clock|"),
            ("V8 Worker 1 12/13 [001] 1.5: 7 cycles:u: ", "V8 Worker 1|12|13|1500000000|7|cycles:u|"),
            (
                "  dd 9 1.000000001:  1 faults:  7f06 _start+0x0 (/ld.so)",
                "dd|0|9|1000000001|1|faults|7f06 _start+0x0 (/ld.so)",
            ),
            (
                "a 892 K     1.5: 1 page-faults:  ff elf ([k])",
                "a|0|892|1500000000|1|page-faults|ff elf ([k])",
            ),
            ("my prog   885 ", "my prog|0|885|0|0|-|"),
            (
                "sh 5 [000] 1.5: sched:sched_switch: prev_comm=a 3 ==> b",
                "sh|0|5|1500000000|0|sched:sched_switch|prev_comm=a 3 ==> b",
            ),
            ("sh 5 1.5:  7f06 main (/a)", "sh|0|5|1500000000|0|-|7f06 main (/a)"),
            (":-1 -1 1.5: cycles:", ":-1|0|4294967295|1500000000|0|cycles|"),
            ("a 2 3 44 1.5: 1 cycles:", "a 2 3|0|44|1500000000|1|cycles|"),
        ] {
            assert_eq!(parsed(line).as_deref(), Some(expected));
        }
        for bad in [
            "",
            "12",
            "main;f 3 x",
            "a b c",
            "a 1.5: x",
            "a 1.5: 3 cycles:",
            "version: 1 b",
            "\t 7f1e f (/x)",
        ] {
            assert_eq!(parsed(bad), None, "{bad:?}");
        }
    }
}
