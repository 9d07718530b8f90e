//! Repairs of a trace in few lines: repairs of one kind are grouped.

use crate::answer::RepairAnswer;

mod singular;

use singular::{counted_words, message};

/// The message of a single repair, in the singular if its count is 1.
pub fn repair_message(repair: &RepairAnswer) -> String {
    message(&repair.message).into_owned()
}

/// Lines to print; the same repair at many locations is one line.
pub fn repairs(repairs: &[RepairAnswer]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&RepairAnswer>)> = Vec::new();
    for repair in repairs {
        let kind = kind(&repair.message);
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, members)) => members.push(repair),
            None => groups.push((kind, vec![repair])),
        }
    }
    groups.iter().map(|(_, members)| line(members)).collect()
}

/// One line about repairs without loss: their kinds with counts, without places. None if there are no such repairs.
pub fn harmless_repairs(repairs: &[RepairAnswer]) -> Option<String> {
    let mut kinds: Vec<(&str, Option<u64>)> = Vec::new();
    for repair in repairs.iter().filter(|repair| !repair.loss) {
        let (count, what) = counted(&repair.message);
        match kinds.iter_mut().find(|(known, _)| kind(known) == kind(what)) {
            Some((_, sum)) => *sum = sum.zip(count).map(|(sum, count)| sum + count),
            None => kinds.push((what, count)),
        }
    }
    let text = |(what, count): &(&str, Option<u64>)| match count {
        Some(count) => counted_words(*count, what),
        None => (*what).to_owned(),
    };
    let texts: Vec<String> = kinds.iter().map(text).collect();
    (!texts.is_empty())
        .then(|| format!("the recording was repaired: {}; `lotse trace info` says where", texts.join("; ")))
}

/// The count at the begin of a message, if there is one, and what is counted, without the description of the repair.
fn counted(message: &str) -> (Option<u64>, &str) {
    let rest = message.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = &message[..message.len() - rest.len()];
    let appended = |number: u64, digit: u8| number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    let count = (!digits.is_empty()).then(|| digits.bytes().fold(0, appended));
    (count, rest.trim_start().split([',', ';']).next().unwrap_or(rest))
}

/// The message without its numbers.
fn kind(message: &str) -> String {
    message.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

fn line(members: &[&RepairAnswer]) -> String {
    let first = members[0];
    let place = first.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
    let file = if first.file.is_empty() { String::new() } else { format!("{}: ", first.file) };
    let more = match members.len() {
        1 => String::new(),
        2 => " (and once more elsewhere)".to_owned(),
        many => format!(" (and so at {} more places)", many - 1),
    };
    format!("{file}{place}{}{more}", message(&first.message))
}

#[cfg(test)]
mod tests {
    use super::{harmless_repairs, repairs};
    use crate::answer::RepairAnswer;

    fn repair(file: &str, message: &str) -> RepairAnswer {
        RepairAnswer { location: None, file: file.into(), place: None, message: message.into(), loss: false }
    }

    #[test]
    fn repairs_without_loss_are_one_line() {
        let many = [
            repair("rank 0", "3 calls without a leave, closed when their caller was left"),
            repair("rank 1", "4 calls without a leave, closed when their caller was left"),
            repair("x.json", "flows: a flow ends that never began; it was left out (9 times)"),
            RepairAnswer { loss: true, ..repair("rank 1", "cut") },
        ];
        let texts = harmless_repairs(&many).unwrap();
        let expected = "the recording was repaired: 7 calls without a leave; flows: a flow ends that never began; `lotse trace \
                        info` says where";
        assert_eq!(texts, expected);
        assert_eq!(harmless_repairs(&many[3..]), None);
        // One at each of two places are two.
        let ones =
            ["rank 0", "rank 1"].map(|file| repair(file, "1 groups are defined again, 1 of them otherwise"));
        assert!(harmless_repairs(&ones).unwrap().contains(": 2 groups are defined again;"));
        assert!(harmless_repairs(&ones[..1]).unwrap().contains(": 1 group is defined again;"));
    }

    #[test]
    fn the_same_repair_at_many_locations_is_one_line() {
        let many = [
            repair("rank 0", "3 calls without a leave"),
            repair("traces.def", "no clock"),
            repair("rank 1", "4 calls without a leave"),
            repair("rank 2", "5 calls without a leave"),
        ];
        let texts = repairs(&many);
        let expected = ["rank 0: 3 calls without a leave (and so at 2 more places)", "traces.def: no clock"];
        assert_eq!(texts, expected);
        assert_eq!(repairs(&many[..1]), ["rank 0: 3 calls without a leave"]);
    }
}
