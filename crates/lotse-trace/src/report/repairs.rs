//! What was odd about a trace, in few lines: repairs of one kind stand together.

use crate::answer::RepairAnswer;

/// Lines to print; the same thing about many locations is said once.
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
    format!("{file}{place}{}{more}", first.message)
}

#[cfg(test)]
mod tests {
    use super::repairs;
    use crate::answer::RepairAnswer;

    fn repair(file: &str, message: &str) -> RepairAnswer {
        RepairAnswer { location: None, file: file.into(), place: None, message: message.into(), loss: false }
    }

    #[test]
    fn the_same_about_many_is_said_once() {
        let many = [
            repair("rank 0", "3 calls without a leave"),
            repair("traces.def", "no clock"),
            repair("rank 1", "4 calls without a leave"),
            repair("rank 2", "5 calls without a leave"),
        ];
        let said = repairs(&many);
        let expected = ["rank 0: 3 calls without a leave (and so at 2 more places)", "traces.def: no clock"];
        assert_eq!(said, expected);
        assert_eq!(repairs(&many[..1]), ["rank 0: 3 calls without a leave"]);
    }
}
