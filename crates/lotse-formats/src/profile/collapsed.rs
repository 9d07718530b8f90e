//! Collapsed stacks: a line per stack, outermost frame first, `main;f;g 12`.
//!
//! The format is loose, so the claim is weak. Names are kept as they are, including suffixes such as `_[k]`. Weights may
//! have a fraction: costs are then counts of its last digit. The event type is `samples` only where the weights look
//! like numbers of samples (see `counts`), else `weight`. Where every line ends with two numbers, the file compares two
//! profiles and there are two event types. A line without a stack, which py-spy writes for a thread without frames,
//! is a sample without frames.

mod counts;
mod frames;
mod weight;
mod write;

use lotse_model::bytes::Source;
use lotse_model::profile::{Builder, Costs, EventType, Part};
use lotse_model::{Profile, Unit, Workers};

use self::frames::StackReader;
use self::weight::DecimalWeight;
pub(crate) use self::write::WRITER;
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::Diagnostic;
use crate::reading::Reading;

pub(crate) const FORMAT: Format = Format {
    id: "collapsed",
    title: "collapsed stacks",
    extensions: &["collapsed", "collapse", "folded"],
    claim,
    reader: Reader::Profile(read),
};

/// A claim tolerates one line without a weight per this many lines with one.
const LINES_FOR_A_FAULT: usize = 2;
/// How many bytes of a file a claim examines.
const LOOK: usize = 1 << 16;
/// The longest first line of which it examines all: deep stacks of long names have more than [`LOOK`] bytes.
const LONGEST_LINE: usize = 1 << 22;

/// Claims text in which (nearly) all lines end in a weight: likely where a line has several frames, else possible.
fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let look = &bytes[..bytes.len().min(LOOK.max(first_line(bytes)))];
    let complete =
        if look.len() == bytes.len() { look.len() } else { memchr::memrchr(b'\n', look).unwrap_or(0) };
    let mut lines = lines(&look[..complete]).filter(|(_, line)| !is_comment(line)).peekable();
    if memchr::memchr(0, look).is_some() || is_json(look) || lines.peek().is_none() {
        return Confidence::No;
    }
    let (mut several, mut named) = (false, false);
    let (mut good, mut bad) = (0_usize, 0_usize);
    for (_, line) in lines {
        let Some((stack, _)) = split_weight(line) else {
            bad += 1;
            continue;
        };
        good += 1;
        several |= stack.contains(&b';');
        named |= !stack.is_empty();
    }
    match (several, named) {
        // A few bad lines are allowed: one that was cut, or output of the program between stacks. The reader reports them.
        _ if bad > 0 && !(several && bad <= good / LINES_FOR_A_FAULT) => Confidence::No,
        (true, _) if bad > 0 => Confidence::Possible,
        (true, _) => Confidence::Likely,
        (false, true) => Confidence::Possible,
        (false, false) => Confidence::No,
    }
}

/// Whether a document begins like JSON: one line of it that was cut after a number would be a stack with a weight.
fn is_json(bytes: &[u8]) -> bool {
    [&b"{\""[..], b"[{\""].iter().any(|start| bytes.trim_ascii_start().starts_with(start))
}

/// The length of the first line with its end; 0 if it is too long for a stack.
fn first_line(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', &bytes[..bytes.len().min(LONGEST_LINE)]).map_or(0, |end| end + 1)
}

fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let mut diagnostics = Diagnostics::default();
    let (rows, width) = rows(source.bytes(), &mut diagnostics);
    if rows.is_empty() {
        let problem = "expected lines such as `main;f;g 12`, found none";
        return Err(Diagnostic::loss(Place::Whole, problem).into_error(source.name()));
    }
    let value = build(&rows, width, &mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// A line: a stack and its weights, the second only where the file compares two profiles.
struct StackLine<'a> {
    number: u64,
    stack: &'a [u8],
    weights: [DecimalWeight; 2],
}

/// All lines with a stack, and how many weights each has.
fn rows<'a>(bytes: &'a [u8], diagnostics: &mut Diagnostics) -> (Vec<StackLine<'a>>, usize) {
    let mut rows = Vec::new();
    for (number, line) in lines(bytes) {
        if is_comment(line) {
            continue;
        }
        match split_weight(line) {
            Some((stack, weight)) => {
                rows.push(StackLine { number, stack, weights: [weight, DecimalWeight::default()] })
            }
            None => diagnostics
                .loss(Place::Line(number), "expected a weight at the end of the line; it is left out"),
        }
    }
    // A single name may end in a number; where all do, it is a second weight.
    if !rows.iter().all(|row| split_weight(row.stack).is_some()) {
        return (rows, 1);
    }
    for row in &mut rows {
        let (stack, before) = split_weight(row.stack).unwrap_or((row.stack, DecimalWeight::default()));
        (row.stack, row.weights) = (stack, [before, row.weights[0]]);
    }
    (rows, 2)
}

/// The lines that are not blank, without line ends, numbered from 1.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rest = Some(bytes);
    let split = std::iter::from_fn(move || {
        let bytes = rest?;
        let end = memchr::memchr(b'\n', bytes);
        rest = end.map(|end| &bytes[end + 1..]);
        Some(&bytes[..end.unwrap_or(bytes.len())])
    });
    (1..)
        .zip(split)
        .map(|(number, line)| (number, line.trim_ascii_end()))
        .filter(|(_, line)| !line.is_empty())
}

/// Whether a line is a comment. A frame may begin with `#`, so a line with several frames and a weight is a stack.
fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#") && split_weight(line).is_none_or(|(stack, _)| !stack.contains(&b';'))
}

/// The stack, which may be empty, and the weight of a line.
fn split_weight(line: &[u8]) -> Option<(&[u8], DecimalWeight)> {
    let gap = line.iter().rposition(u8::is_ascii_whitespace)?;
    let weight = DecimalWeight::parse(&line[gap + 1..])?;
    Some((line[..gap].trim_ascii_end(), weight))
}

/// Makes the profile of the lines. All weights are scaled to the largest number of decimal places.
fn build(rows: &[StackLine<'_>], width: usize, diagnostics: &mut Diagnostics) -> Profile {
    let digits = rows.iter().flat_map(|row| &row.weights).map(|weight| weight.digits).max().unwrap_or(0);
    let signed = rows.iter().flat_map(|row| &row.weights).any(|weight| weight.value < 0);
    let mut builder = Builder::new();
    builder.profile.events = events(width, digits, rows);
    builder.profile.signed = signed;
    let mut part = Part::new("all", width, signed);
    let mut costs = Costs::new(width, signed);
    let mut stacks = StackReader::default();
    for row in rows {
        let [first, second] = row.weights.map(|weight| weight.in_digits(digits, signed));
        let Some(cells) = first.zip(if width == 2 { second } else { Some(0) }) else {
            diagnostics.loss(Place::Line(row.number), "the weight is too large for 64 bits; it is left out");
            continue;
        };
        costs.push(&[cells.0, cells.1][..width]);
        part.samples.stack.push(stacks.stack(&mut builder, row.stack));
    }
    part.samples.costs = costs;
    builder.profile.parts.push(part);
    builder.finish()
}

fn events(width: usize, digits: u8, rows: &[StackLine<'_>]) -> Vec<EventType> {
    let single =
        || if counts::are_samples(rows.iter().map(|row| row.weights[0])) { "samples" } else { "weight" };
    let event = |name: &str| match digits {
        0 => EventType::count(name),
        _ => EventType::new(name, Unit::Number, -(digits as i8)),
    };
    if width == 2 { vec![event("before"), event("after")] } else { vec![event(single())] }
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Memory;

    use super::claim;
    use crate::format::Confidence;

    #[test]
    fn claims_are_weak() {
        let claimed = |text: &str| claim(&Memory { name: "x", bytes: text.as_bytes() });
        assert_eq!(claimed("# by hand\n\na;b 1\r\na 2.5\n"), Confidence::Likely);
        assert_eq!(claimed("a 1\nb 2\n"), Confidence::Possible);
        assert_eq!(claimed("a;b 1\na;c\na 2\n"), Confidence::Possible);
        let frames = format!("{};f 1\n", "namespace::class<argument>::method;".repeat(3000));
        assert_eq!(claimed(&frames.repeat(2)), Confidence::Likely);
        for other in ["", "# nothing\n", "a;b\n", "a;b 1\nfn=main\n", "a;b 1\n\0\n", " 1\n", "{\"a\": [1, 2"]
        {
            assert_eq!(claimed(other), Confidence::No, "{other:?}");
        }
    }
}
