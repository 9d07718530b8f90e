//! Ruby's Marshal format, version 4.8: reads one value into the same places as JSON.
//!
//! Values of classes that a profiler does not write, which may stand in the user's metadata, are skipped. A reference to
//! an earlier text or number stands for it; one to a list or hash is skipped too, so that nothing is read twice.
//!
//! ```text
//! 04 08 {06 :09 mode :09 wall      {mode: :wall}; lengths and small numbers are stored plus 5
//! ```

use lotse_model::profile::readable;

use crate::error::Place;
use crate::json::{Fill, Number};
use crate::reading::Diagnostic;

/// The version, with which every dump begins.
pub(super) const SIGNATURE: [u8; 2] = [4, 8];

/// Deeper values are refused, as by the parser of JSON.
const DEPTH: usize = 128;
/// The bytes that references may stand for, per byte of the file. A path that all frames share is referred to by 2 bytes,
/// but a frame takes about 80.
const REFERRED_PER_BYTE: usize = 16;

/// Types of values that can be referred to: texts, regular expressions, lists, hashes, numbers that are not small, objects.
const NUMBERED: &[u8] = b"\"/[{}floSuUdcmM";

/// Reads the value of a dump; what was read before an error is kept. Bytes after the value are ignored.
pub(super) fn fill(bytes: &[u8], target: &mut dyn Fill) -> Result<(), Diagnostic> {
    let left = bytes.len().saturating_mul(REFERRED_PER_BYTE);
    let mut reader =
        MarshalReader { bytes, at: SIGNATURE.len(), symbols: Vec::new(), objects: Vec::new(), left };
    let read = reader.value(target, DEPTH);
    read.map_err(|problem| Diagnostic::loss(Place::Byte(reader.at as u64), problem))
}

struct MarshalReader<'a> {
    bytes: &'a [u8],
    at: usize,
    symbols: Vec<&'a [u8]>,
    /// The offset of each value that can be referred to.
    objects: Vec<usize>,
    /// How many bytes references may still stand for.
    left: usize,
}

/// A value that nobody wants.
struct Ignored;

impl Fill for Ignored {}

impl<'a> MarshalReader<'a> {
    /// Reads a value of any type, which its first byte tells, into the target, and numbers it if it can be referred to.
    fn value(&mut self, target: &mut dyn Fill, depth: usize) -> Result<(), &'static str> {
        let below = depth.checked_sub(1).ok_or("values are nested too deeply")?;
        let start = self.at;
        let kind = self.byte()?;
        if NUMBERED.contains(&kind) {
            self.objects.push(start);
        }
        match kind {
            b'[' => self.list(target, below),
            b'{' => self.hash(target, below),
            b'}' => self.hash(target, below).and_then(|()| self.value(&mut Ignored, below)),
            b'I' if self.bytes.get(self.at) == Some(&b'u') => self.with_state(below),
            b'I' => self.value(target, below).and_then(|()| self.hash(&mut Ignored, below)),
            b'e' | b'C' => self.value(&mut Ignored, below).and_then(|()| self.value(target, below)),
            b'U' | b'd' => self.value(&mut Ignored, below).and_then(|()| self.value(&mut Ignored, below)),
            b'o' | b'S' => self.value(&mut Ignored, below).and_then(|()| self.hash(&mut Ignored, below)),
            b'u' => self.value(&mut Ignored, below).and_then(|()| self.sized().map(drop)),
            b'/' => self.sized().and_then(|_| self.byte()).map(drop),
            b'c' | b'm' | b'M' => self.sized().map(drop),
            b'@' => self.reference(target),
            _ => self.scalar(kind, target),
        }
    }

    /// An object that its class has packed, such as a time. Ruby numbers it after its instance variables.
    fn with_state(&mut self, below: usize) -> Result<(), &'static str> {
        let start = self.at;
        self.byte()?;
        self.value(&mut Ignored, below)?;
        self.sized()?;
        self.hash(&mut Ignored, below)?;
        self.objects.push(start);
        Ok(())
    }

    fn list(&mut self, target: &mut dyn Fill, below: usize) -> Result<(), &'static str> {
        for _ in 0..self.length()? {
            match target.element() {
                Some(place) => self.value(place, below)?,
                None => self.value(&mut Ignored, below)?,
            }
        }
        Ok(())
    }

    fn hash(&mut self, target: &mut dyn Fill, below: usize) -> Result<(), &'static str> {
        for _ in 0..self.length()? {
            let mut key = String::new();
            self.value(&mut key, below)?;
            match target.field(&key) {
                Some(place) => self.value(place, below)?,
                None => self.value(&mut Ignored, below)?,
            }
        }
        Ok(())
    }

    /// A reference to an earlier value.
    fn reference(&mut self, target: &mut dyn Fill) -> Result<(), &'static str> {
        let number = self.length()?;
        let offset = *self.objects.get(number).ok_or("refers to a value that did not come before")?;
        let back = std::mem::replace(&mut self.at, offset);
        let kind = self.byte()?;
        if matches!(kind, b'"' | b'f' | b'l') {
            self.scalar(kind, target)?;
            self.spend(self.at - offset)?;
        }
        self.at = back;
        Ok(())
    }

    /// Reads what follows the type byte of a value without parts.
    fn scalar(&mut self, kind: u8, target: &mut dyn Fill) -> Result<(), &'static str> {
        match kind {
            b'0' => {}
            b'T' | b'F' => target.truth(kind == b'T'),
            b'i' => target.number(Number::Whole(self.long()?)),
            b'l' => target.number(self.bignum()?),
            b'f' => target.number(self.float()?),
            b'"' => target.text(&readable(self.sized()?)),
            b':' => {
                let name = self.sized()?;
                self.symbols.push(name);
                target.text(&readable(name));
            }
            b';' => {
                let number = self.length()?;
                let name = *self.symbols.get(number).ok_or("refers to a symbol that did not come before")?;
                self.spend(name.len())?;
                target.text(&readable(name));
            }
            _ => return Err("expected a value of Ruby's Marshal, found something else"),
        }
        Ok(())
    }

    /// Counts bytes that a reference stands for, which would need much memory if a long text was referred to often.
    fn spend(&mut self, bytes: usize) -> Result<(), &'static str> {
        self.left = self.left.checked_sub(bytes).ok_or("more shared text than a file of this size has")?;
        Ok(())
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let (taken, _) = rest.split_at_checked(length).ok_or("the file ends too early")?;
        self.at += length;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, &'static str> {
        Ok(self.take(1)?[0])
    }

    fn sized(&mut self) -> Result<&'a [u8], &'static str> {
        let length = self.length()?;
        self.take(length)
    }

    fn length(&mut self) -> Result<usize, &'static str> {
        usize::try_from(self.long()?).map_err(|_| "a length is negative")
    }

    /// A number: 0, one of -123 to 122 in a byte, or the number of its bytes and these; negative ones lack leading ones.
    fn long(&mut self) -> Result<i64, &'static str> {
        let first = i64::from(self.byte()? as i8);
        let count = match first {
            0 => return Ok(0),
            5.. => return Ok(first - 5),
            ..=-5 => return Ok(first + 5),
            _ => first.unsigned_abs() as usize,
        };
        let bytes = self.take(count)?;
        let filler = if first < 0 { -1 } else { 0 };
        Ok(bytes.iter().rev().fold(filler, |number: i64, byte| number << 8 | i64::from(*byte)))
    }

    /// An integer beyond 31 bits: its sign, the number of its 16-bit words and these. One beyond 64 bits is missing.
    fn bignum(&mut self) -> Result<Number, &'static str> {
        let negative = self.byte()? == b'-';
        let words = self.length()?;
        let bytes = self.take(words.saturating_mul(2))?;
        let value = bytes
            .iter()
            .rev()
            .try_fold(0_u64, |value, byte| value.checked_mul(256).map(|value| value | u64::from(*byte)));
        Ok(match value.map(|value| (i64::try_from(value), value)) {
            None => Number::Missing,
            Some((Ok(value), _)) => Number::Whole(if negative { -value } else { value }),
            Some((Err(_), value)) if !negative => Number::Large(value),
            Some(_) => Number::Missing,
        })
    }

    fn float(&mut self) -> Result<Number, &'static str> {
        const DIGITS: &str = "expected a number in digits";
        let text = std::str::from_utf8(self.sized()?).map_err(|_| DIGITS)?;
        text.parse().map(Number::Real).map_err(|_| DIGITS)
    }
}
