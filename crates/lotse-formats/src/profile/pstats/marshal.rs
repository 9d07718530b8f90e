//! Python's marshal format, versions 0 to 4, as far as `marshal.dump` uses it for the tables of a profiler. Of code
//! objects (Python 3.3 and later), which `python3 -m profile` uses as names, only the name is kept.
//!
//! Values are in one list and refer to each other by index. Shared and nested values therefore need no more memory than
//! their bytes, and nothing is read recursively. After an error, open tuples and dictionaries are kept as far as they
//! were read.
//!
//! ```text
//! ('a', ('a',))      values: 0 tuple [1, 2]   1 text "a"   2 tuple [1]
//! ```

use std::borrow::Cow;

use lotse_model::profile::readable;

use crate::error::Place;
use crate::reading::Diagnostic;

/// Flag of a value that later ones refer to.
const REFERRED: u8 = 0x80;

/// The error for a malformed number in text form.
const DIGITS: &str = "expected a number in digits";

#[derive(Debug, Clone, PartialEq)]
pub(super) enum MarshalValue {
    /// An integer of up to 64 bits.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A text: the offsets of its start and end.
    Text(usize, usize),
    /// A tuple or list.
    Tuple(Vec<u32>),
    /// A dictionary: keys and values alternate.
    Dictionary(Vec<u32>),
    /// Code: its name.
    Code(u32),
    /// Anything else.
    Other,
}

/// The values read so far; the first is the outermost.
#[derive(Debug, Default)]
pub(super) struct MarshalValues<'a> {
    bytes: &'a [u8],
    at: usize,
    values: Vec<MarshalValue>,
    referred: Vec<u32>,
    /// Interned strings of Python 2, which are numbered separately.
    interned: Vec<u32>,
    open: Vec<OpenValue>,
}

/// A tuple, dictionary or code object being read.
#[derive(Debug)]
struct OpenValue {
    kind: OpenKind,
    place: u32,
    items: Vec<u32>,
    /// The number of items still to come; `None` for a dictionary, which has an end mark.
    left: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    Tuple,
    Dictionary,
    /// A code object up to the number of its first line, which is not a value.
    Code,
    /// The tables after that number.
    CodeTables,
}

/// Values of code before the number of its first line. Until Python 3.10: instructions, constants, names, variables,
/// free and cell variables, file, name. Since 3.11: instructions, constants, names, variables, their kinds, file, name,
/// qualified name.
const CODE_VALUES: u64 = 8;

/// What the type byte of a value begins.
enum MarshalToken {
    Value(MarshalValue),
    Refer(u32),
    Tuple(u64),
    Dictionary,
    Code,
    End,
}

impl<'a> MarshalValues<'a> {
    /// Reads one value, which is the first in the list.
    pub(super) fn read(bytes: &'a [u8]) -> (Self, Option<Diagnostic>) {
        let mut values = Self { bytes, ..Self::default() };
        let mut flaw = None;
        if let Err(problem) = values.read_all() {
            flaw = Some(Diagnostic::loss(Place::Byte(values.at as u64), problem));
            while let Some(open) = values.open.pop() {
                values.close(open);
            }
        }
        (values, flaw)
    }

    /// The value of an index.
    pub(super) fn get(&self, index: u32) -> &MarshalValue {
        self.values.get(index as usize).unwrap_or(&MarshalValue::Other)
    }

    /// The text of a value.
    pub(super) fn text(&self, index: u32) -> Option<Cow<'a, str>> {
        match *self.get(index) {
            MarshalValue::Text(start, end) => self.bytes.get(start..end).map(readable),
            MarshalValue::Code(name) if matches!(self.get(name), MarshalValue::Text(..)) => self.text(name),
            _ => None,
        }
    }

    fn read_all(&mut self) -> Result<(), &'static str> {
        loop {
            let code = self.take(1)?[0];
            let token = self.token(code & !REFERRED)?;
            if let Some(index) = self.append(token, code & REFERRED != 0)?
                && self.attach(index)?
            {
                return Ok(());
            }
        }
    }

    /// Appends the value of a token to the list; `None` where it opened something whose items follow.
    fn append(&mut self, token: MarshalToken, referred: bool) -> Result<Option<u32>, &'static str> {
        let (value, kind, left) = match token {
            MarshalToken::Refer(index) => return Ok(Some(index)),
            MarshalToken::End => return self.end_dictionary().map(Some),
            MarshalToken::Value(value) => (value, OpenKind::Tuple, Some(0)),
            MarshalToken::Tuple(left) => (MarshalValue::Tuple(Vec::new()), OpenKind::Tuple, Some(left)),
            MarshalToken::Dictionary => (MarshalValue::Dictionary(Vec::new()), OpenKind::Dictionary, None),
            MarshalToken::Code => (MarshalValue::Other, OpenKind::Code, Some(CODE_VALUES)),
        };
        let place = u32::try_from(self.values.len()).map_err(|_| "more values than can be counted")?;
        self.values.push(value);
        if referred {
            self.referred.push(place);
        }
        if left == Some(0) {
            return Ok(Some(place));
        }
        self.open.push(OpenValue { kind, place, items: Vec::new(), left });
        Ok(None)
    }

    fn end_dictionary(&mut self) -> Result<u32, &'static str> {
        match self.open.pop() {
            Some(open) if open.left.is_none() && open.items.len().is_multiple_of(2) => Ok(self.close(open)),
            Some(open) => {
                self.open.push(open);
                Err("expected a value, found the end of a dictionary")
            }
            None => Err("expected a value, found the end of a dictionary"),
        }
    }

    /// Adds a complete value to the innermost open one, and closes those that are complete; `true` when none is open.
    fn attach(&mut self, mut index: u32) -> Result<bool, &'static str> {
        while let Some(open) = self.open.last_mut() {
            open.items.push(index);
            let Some(left) = &mut open.left else { return Ok(false) };
            *left -= 1;
            if *left > 0 {
                return Ok(false);
            }
            if let Some(open) = self.open.pop() {
                if open.kind == OpenKind::Code {
                    self.continue_code(open)?;
                    return Ok(false);
                }
                index = self.close(open);
            }
        }
        Ok(true)
    }

    /// Continues a code object: the number of its first line, then a table of lines and, since Python 3.11, of exceptions.
    fn continue_code(&mut self, open: OpenValue) -> Result<(), &'static str> {
        self.take(4)?;
        // The kinds of variables are bytes, free variables a tuple.
        let newer = matches!(self.get(open.items[4]), MarshalValue::Text(..));
        let name = open.items[if newer { 6 } else { 7 }];
        self.values[open.place as usize] = MarshalValue::Code(name);
        self.open.push(OpenValue {
            kind: OpenKind::CodeTables,
            left: Some(if newer { 2 } else { 1 }),
            ..open
        });
        Ok(())
    }

    fn close(&mut self, open: OpenValue) -> u32 {
        let value = match open.kind {
            OpenKind::Tuple => MarshalValue::Tuple(open.items),
            OpenKind::Dictionary => MarshalValue::Dictionary(open.items),
            OpenKind::Code | OpenKind::CodeTables => return open.place,
        };
        self.values[open.place as usize] = value;
        open.place
    }

    /// Skips the numbers before the values of a code object: six of four bytes in Python 3.8 to 3.10, else five.
    fn code_numbers(&mut self) -> Result<(), &'static str> {
        // With five numbers, this byte is the highest of the length of the instructions.
        let six = self.bytes.get(self.at + 24).is_some_and(|byte| byte & !REFERRED == b's');
        self.take(if six { 24 } else { 20 }).map(|_| ())
    }

    /// Reads what follows the type byte, up to the items of tuples and dictionaries.
    fn token(&mut self, code: u8) -> Result<MarshalToken, &'static str> {
        Ok(MarshalToken::Value(match code {
            b'0' => return Ok(MarshalToken::End),
            b'{' => return Ok(MarshalToken::Dictionary),
            b'c' => return self.code_numbers().map(|()| MarshalToken::Code),
            b'(' | b'[' | b'<' | b'>' => return Ok(MarshalToken::Tuple(self.size()? as u64)),
            b')' => return Ok(MarshalToken::Tuple(u64::from(self.take(1)?[0]))),
            b'r' => {
                let number = self.size()?;
                return refer(&self.referred, number);
            }
            b'R' => {
                let number = self.size()?;
                return refer(&self.interned, number);
            }
            b'N' | b'T' | b'F' | b'S' | b'.' => MarshalValue::Other,
            b'i' => MarshalValue::Integer(i64::from(i32::from_le_bytes(self.array()?))),
            b'I' => MarshalValue::Integer(i64::from_le_bytes(self.array()?)),
            b'l' => self.long()?,
            b'g' => MarshalValue::Float(f64::from_le_bytes(self.array()?)),
            b'f' => MarshalValue::Float(self.printed()?),
            b'x' => self.printed().and_then(|_| self.printed()).map(|_| MarshalValue::Other)?,
            b'y' => self.take(16).map(|_| MarshalValue::Other)?,
            b't' => {
                self.interned.push(self.values.len() as u32);
                self.sized()?
            }
            b's' | b'u' | b'a' | b'A' => self.sized()?,
            b'z' | b'Z' => {
                let length = usize::from(self.take(1)?[0]);
                self.span(length)?
            }
            _ => return Err("expected a value of marshal, found something else"),
        }))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        let (taken, _) = self.bytes[self.at..].split_at_checked(length).ok_or("the file ends too early")?;
        self.at += length;
        Ok(taken)
    }

    fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], &'static str> {
        self.take(LENGTH)?.try_into().map_err(|_| "the file ends too early")
    }

    fn size(&mut self) -> Result<usize, &'static str> {
        usize::try_from(i32::from_le_bytes(self.array()?)).map_err(|_| "a size is negative")
    }

    fn sized(&mut self) -> Result<MarshalValue, &'static str> {
        let length = self.size()?;
        self.span(length)
    }

    fn span(&mut self, length: usize) -> Result<MarshalValue, &'static str> {
        let start = self.at;
        self.take(length)?;
        Ok(MarshalValue::Text(start, self.at))
    }

    /// A number in text form, which versions before 2 write.
    fn printed(&mut self) -> Result<f64, &'static str> {
        let length = usize::from(self.take(1)?[0]);
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| DIGITS)?;
        text.trim().parse().map_err(|_| DIGITS)
    }

    /// An integer of any size, 15 bits at a time; one of more than 64 bits is [`MarshalValue::Other`].
    fn long(&mut self) -> Result<MarshalValue, &'static str> {
        let count = i32::from_le_bytes(self.array()?);
        let digits = self.take((count.unsigned_abs() as usize).saturating_mul(2))?;
        let value = digits.chunks_exact(2).rev().try_fold(0_i128, |value, digit| {
            let more = i128::from(u16::from_le_bytes([digit[0], digit[1]]));
            value.checked_mul(1 << 15)?.checked_add(more)
        });
        let value = value.and_then(|value| i64::try_from(if count < 0 { -value } else { value }).ok());
        Ok(value.map_or(MarshalValue::Other, MarshalValue::Integer))
    }
}

fn refer(table: &[u32], number: usize) -> Result<MarshalToken, &'static str> {
    table
        .get(number)
        .map(|&index| MarshalToken::Refer(index))
        .ok_or("refers to a value that did not come before")
}

#[cfg(test)]
mod tests {
    use super::{MarshalValue, MarshalValues};

    fn read(bytes: &[u8]) -> (MarshalValue, Option<String>) {
        let (values, flaw) = MarshalValues::read(bytes);
        (values.get(0).clone(), flaw.map(|flaw| format!("{}: {}", flaw.place, flaw.message)))
    }

    #[test]
    fn numbers_of_all_versions() {
        assert_eq!(read(b"i\xff\xff\xff\xff"), (MarshalValue::Integer(-1), None));
        assert_eq!(read(b"I\x00\x00\x00\x00\x01\x00\x00\x00"), (MarshalValue::Integer(1 << 32), None));
        assert_eq!(read(b"l\xfe\xff\xff\xff\x01\x00\x02\x00"), (MarshalValue::Integer(-65537), None));
        assert_eq!(read(b"f\x041e-3"), (MarshalValue::Float(0.001), None));
        assert_eq!(read(b"g\x00\x00\x00\x00\x00\x00\xf8\x3f"), (MarshalValue::Float(1.5), None));
        let huge = [b"l\x0f\x00\x00\x00".as_slice(), &[0xff; 30]].concat();
        assert_eq!(read(&huge), (MarshalValue::Other, None));
    }

    #[test]
    fn shared_values_are_one() {
        // ('a', 'a') of Python 3 by reference, and of Python 2 by the list of interned strings.
        for bytes in [b")\x02\xda\x01ar\x00\x00\x00\x00".as_slice(), b"(\x02\0\0\0t\x01\0\0\0aR\0\0\0\0"] {
            let (values, flaw) = MarshalValues::read(bytes);
            assert!(flaw.is_none());
            assert_eq!(values.get(0), &MarshalValue::Tuple(vec![1, 1]));
            assert_eq!(values.text(1).as_deref(), Some("a"));
        }
    }

    #[test]
    fn damage_keeps_complete_values() {
        let (value, flaw) = read(b"{NNi\x01");
        assert_eq!(value, MarshalValue::Dictionary(vec![1, 2]));
        assert_eq!(flaw.unwrap(), "byte 4: the file ends too early");
        for (bytes, problem) in [
            (b"(\xff\xff\xff\xff".as_slice(), "byte 5: a size is negative"),
            (b"(\xff\xff\xff\x7fN", "byte 6: the file ends too early"),
            (b"l\x00\x00\x00\x80", "byte 5: the file ends too early"),
            (b"r\x00\x00\x00\x00", "byte 5: refers to a value that did not come before"),
            (b"(\x01\x00\x00\x000", "byte 6: expected a value, found the end of a dictionary"),
            (b"{N0", "byte 3: expected a value, found the end of a dictionary"),
            (b"c", "byte 1: the file ends too early"),
            (b"?", "byte 1: expected a value of marshal, found something else"),
            (b"", "byte 0: the file ends too early"),
        ] {
            assert_eq!(read(bytes).1.as_deref(), Some(problem), "{bytes:?}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let (_, flaw) = MarshalValues::read(&b"\xa9\x01".repeat(500_000));
        assert!(flaw.is_some());
    }
}
