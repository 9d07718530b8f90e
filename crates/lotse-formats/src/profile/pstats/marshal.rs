//! Python's marshal, versions 0 to 4: what `marshal.dump` makes of the tables of a profiler. Of code (Python 3.3 and
//! later), which `python3 -m profile` uses as a name, only the name is kept.
//!
//! Values lie in one list and point to each other by index, so that shared and nested ones cost no more memory
//! than their bytes, and nothing is read by recursion. After an error the open tuples and dictionaries are there
//! as far as they were read.

use std::borrow::Cow;

use lotse_model::profile::readable;

use crate::error::{Flaw, Place};

/// Marks a value that later ones refer to.
const REFERRED: u8 = 0x80;

/// What is wrong with a number that is written as text.
const DIGITS: &str = "expected a number in digits";

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A whole number of 64 bits.
    Whole(i64),
    /// A number with a point.
    Real(f64),
    /// A text: where it begins and ends.
    Text(usize, usize),
    /// A tuple or list.
    Tuple(Vec<u32>),
    /// A dictionary: keys and values in turn.
    Dictionary(Vec<u32>),
    /// Code: its name.
    Code(u32),
    /// Anything else.
    Other,
}

/// All values of some bytes; the last one closed is the outermost.
#[derive(Debug, Default)]
pub(super) struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
    values: Vec<Value>,
    referred: Vec<u32>,
    /// Interned strings of Python 2, which have a count of their own.
    interned: Vec<u32>,
    open: Vec<Open>,
}

/// A tuple, dictionary or code being read.
#[derive(Debug)]
struct Open {
    kind: Kind,
    place: u32,
    items: Vec<u32>,
    /// How many are still to come; a dictionary ends otherwise.
    left: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tuple,
    Dictionary,
    /// Code up to the number of its first line, which is no value of its own.
    Code,
    /// The tables after that number.
    CodeTables,
}

/// Values of code before the number of its first line. Until Python 3.10: instructions, constants, names, variables,
/// free and cell variables, file, name. Since 3.11: instructions, constants, names, variables, their kinds, file, name,
/// qualified name.
const CODE_VALUES: u64 = 8;

/// What a byte begins.
enum Token {
    Value(Value),
    Refer(u32),
    Tuple(u64),
    Dictionary,
    Code,
    End,
}

impl<'a> Values<'a> {
    /// Reads one value, the first in the list.
    pub(super) fn read(bytes: &'a [u8]) -> (Self, Option<Flaw>) {
        let mut values = Self { bytes, ..Self::default() };
        let mut flaw = None;
        if let Err(problem) = values.all() {
            flaw = Some(Flaw::new(Place::Byte(values.at as u64), problem));
            while let Some(open) = values.open.pop() {
                values.close(open);
            }
        }
        (values, flaw)
    }

    /// The value of an index.
    pub(super) fn get(&self, index: u32) -> &Value {
        self.values.get(index as usize).unwrap_or(&Value::Other)
    }

    /// The text of a value.
    pub(super) fn text(&self, index: u32) -> Option<Cow<'a, str>> {
        match *self.get(index) {
            Value::Text(start, end) => self.bytes.get(start..end).map(readable),
            Value::Code(name) if matches!(self.get(name), Value::Text(..)) => self.text(name),
            _ => None,
        }
    }

    fn all(&mut self) -> Result<(), &'static str> {
        loop {
            let code = self.take(1)?[0];
            let token = self.token(code & !REFERRED)?;
            if let Some(index) = self.place(token, code & REFERRED != 0)?
                && self.attach(index)?
            {
                return Ok(());
            }
        }
    }

    /// Gives a token its place; `None` where it opened something that is empty so far.
    fn place(&mut self, token: Token, referred: bool) -> Result<Option<u32>, &'static str> {
        let (value, kind, left) = match token {
            Token::Refer(index) => return Ok(Some(index)),
            Token::End => return self.end_dictionary().map(Some),
            Token::Value(value) => (value, Kind::Tuple, Some(0)),
            Token::Tuple(left) => (Value::Tuple(Vec::new()), Kind::Tuple, Some(left)),
            Token::Dictionary => (Value::Dictionary(Vec::new()), Kind::Dictionary, None),
            Token::Code => (Value::Other, Kind::Code, Some(CODE_VALUES)),
        };
        let place = u32::try_from(self.values.len()).map_err(|_| "more values than can be counted")?;
        self.values.push(value);
        if referred {
            self.referred.push(place);
        }
        if left == Some(0) {
            return Ok(Some(place));
        }
        self.open.push(Open { kind, place, items: Vec::new(), left });
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

    /// Puts a whole value into what is open; true when nothing is.
    fn attach(&mut self, mut index: u32) -> Result<bool, &'static str> {
        while let Some(open) = self.open.last_mut() {
            open.items.push(index);
            let Some(left) = &mut open.left else { return Ok(false) };
            *left -= 1;
            if *left > 0 {
                return Ok(false);
            }
            if let Some(open) = self.open.pop() {
                if open.kind == Kind::Code {
                    self.continue_code(open)?;
                    return Ok(false);
                }
                index = self.close(open);
            }
        }
        Ok(true)
    }

    /// The number of the first line, then a table of lines and, from Python 3.11 on, one of exceptions.
    fn continue_code(&mut self, open: Open) -> Result<(), &'static str> {
        self.take(4)?;
        // The kinds of variables are bytes, free variables a tuple.
        let newer = matches!(self.get(open.items[4]), Value::Text(..));
        let name = open.items[if newer { 6 } else { 7 }];
        self.values[open.place as usize] = Value::Code(name);
        self.open.push(Open { kind: Kind::CodeTables, left: Some(if newer { 2 } else { 1 }), ..open });
        Ok(())
    }

    fn close(&mut self, open: Open) -> u32 {
        let value = match open.kind {
            Kind::Tuple => Value::Tuple(open.items),
            Kind::Dictionary => Value::Dictionary(open.items),
            Kind::Code | Kind::CodeTables => return open.place,
        };
        self.values[open.place as usize] = value;
        open.place
    }

    /// Numbers of arguments and the like before the values of code: six of four bytes in Python 3.8 to 3.10, else five.
    fn code_numbers(&mut self) -> Result<(), &'static str> {
        // With five, the byte there is the highest of the length of the instructions.
        let six = self.bytes.get(self.at + 24).is_some_and(|byte| byte & !REFERRED == b's');
        self.take(if six { 24 } else { 20 }).map(|_| ())
    }

    fn token(&mut self, code: u8) -> Result<Token, &'static str> {
        Ok(Token::Value(match code {
            b'0' => return Ok(Token::End),
            b'{' => return Ok(Token::Dictionary),
            b'c' => return self.code_numbers().map(|()| Token::Code),
            b'(' | b'[' | b'<' | b'>' => return Ok(Token::Tuple(self.size()? as u64)),
            b')' => return Ok(Token::Tuple(u64::from(self.take(1)?[0]))),
            b'r' => {
                let number = self.size()?;
                return refer(&self.referred, number);
            }
            b'R' => {
                let number = self.size()?;
                return refer(&self.interned, number);
            }
            b'N' | b'T' | b'F' | b'S' | b'.' => Value::Other,
            b'i' => Value::Whole(i64::from(i32::from_le_bytes(self.array()?))),
            b'I' => Value::Whole(i64::from_le_bytes(self.array()?)),
            b'l' => self.long()?,
            b'g' => Value::Real(f64::from_le_bytes(self.array()?)),
            b'f' => Value::Real(self.printed()?),
            b'x' => self.printed().and_then(|_| self.printed()).map(|_| Value::Other)?,
            b'y' => self.take(16).map(|_| Value::Other)?,
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

    fn sized(&mut self) -> Result<Value, &'static str> {
        let length = self.size()?;
        self.span(length)
    }

    fn span(&mut self, length: usize) -> Result<Value, &'static str> {
        let start = self.at;
        self.take(length)?;
        Ok(Value::Text(start, self.at))
    }

    /// A number as text, as the versions before 2 write it.
    fn printed(&mut self) -> Result<f64, &'static str> {
        let length = usize::from(self.take(1)?[0]);
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| DIGITS)?;
        text.trim().parse().map_err(|_| DIGITS)
    }

    /// A whole number of any size, 15 bits at a time; one of more than 64 bits is something else.
    fn long(&mut self) -> Result<Value, &'static str> {
        let count = i32::from_le_bytes(self.array()?);
        let digits = self.take((count.unsigned_abs() as usize).saturating_mul(2))?;
        let value = digits.chunks_exact(2).rev().try_fold(0_i128, |value, digit| {
            let more = i128::from(u16::from_le_bytes([digit[0], digit[1]]));
            value.checked_mul(1 << 15)?.checked_add(more)
        });
        let value = value.and_then(|value| i64::try_from(if count < 0 { -value } else { value }).ok());
        Ok(value.map_or(Value::Other, Value::Whole))
    }
}

fn refer(table: &[u32], number: usize) -> Result<Token, &'static str> {
    table.get(number).map(|&index| Token::Refer(index)).ok_or("refers to a value that did not come before")
}

#[cfg(test)]
mod tests {
    use super::{Value, Values};

    fn read(bytes: &[u8]) -> (Value, Option<String>) {
        let (values, flaw) = Values::read(bytes);
        (values.get(0).clone(), flaw.map(|flaw| format!("{}: {}", flaw.place, flaw.problem)))
    }

    #[test]
    fn numbers_of_all_versions() {
        assert_eq!(read(b"i\xff\xff\xff\xff"), (Value::Whole(-1), None));
        assert_eq!(read(b"I\x00\x00\x00\x00\x01\x00\x00\x00"), (Value::Whole(1 << 32), None));
        assert_eq!(read(b"l\xfe\xff\xff\xff\x01\x00\x02\x00"), (Value::Whole(-65537), None));
        assert_eq!(read(b"f\x041e-3"), (Value::Real(0.001), None));
        assert_eq!(read(b"g\x00\x00\x00\x00\x00\x00\xf8\x3f"), (Value::Real(1.5), None));
        let huge = [b"l\x0f\x00\x00\x00".as_slice(), &[0xff; 30]].concat();
        assert_eq!(read(&huge), (Value::Other, None));
    }

    #[test]
    fn shared_values_are_one() {
        // ('a', 'a') of Python 3 by reference, and of Python 2 by the list of interned strings.
        for bytes in [b")\x02\xda\x01ar\x00\x00\x00\x00".as_slice(), b"(\x02\0\0\0t\x01\0\0\0aR\0\0\0\0"] {
            let (values, flaw) = Values::read(bytes);
            assert!(flaw.is_none());
            assert_eq!(values.get(0), &Value::Tuple(vec![1, 1]));
            assert_eq!(values.text(1).as_deref(), Some("a"));
        }
    }

    #[test]
    fn damage_keeps_what_was_whole() {
        let (value, flaw) = read(b"{NNi\x01");
        assert_eq!(value, Value::Dictionary(vec![1, 2]));
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
        let (_, flaw) = Values::read(&b"\xa9\x01".repeat(500_000));
        assert!(flaw.is_some());
    }
}
