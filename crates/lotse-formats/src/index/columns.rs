//! Writing and reading columns by one walk.

use std::io;

use bytemuck::Pod;
use lotse_model::profile::Costs;

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It ends too early or its columns do not fit together.
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    /// It cannot be written.
    #[error("the index cannot be written")]
    Write(#[from] io::Error),
}

/// A direction: every call writes what is given or replaces it by what is read.
pub trait Columns {
    /// A number.
    fn number(&mut self, number: &mut u64) -> Result<(), IndexError>;
    /// A column of plain values.
    fn column<T: Pod>(&mut self, column: &mut Vec<T>) -> Result<(), IndexError>;
    /// Ends a section: a checksum of all since the last one is written or compared.
    fn seal(&mut self) -> Result<(), IndexError>;

    /// A text.
    fn text(&mut self, text: &mut String) -> Result<(), IndexError> {
        let mut bytes = std::mem::take(text).into_bytes();
        self.column(&mut bytes)?;
        *text = String::from_utf8(bytes).map_err(|_| IndexError::Damaged("a text is no UTF-8"))?;
        Ok(())
    }

    /// A number of things, as an index.
    fn size(&mut self, size: &mut usize) -> Result<(), IndexError> {
        let mut number = *size as u64;
        self.number(&mut number)?;
        *size = usize::try_from(number).map_err(|_| IndexError::Damaged("a number is too large"))?;
        Ok(())
    }

    /// Yes or no.
    fn flag(&mut self, flag: &mut bool) -> Result<(), IndexError> {
        let mut number = u64::from(*flag);
        self.number(&mut number)?;
        *flag = number != 0;
        Ok(())
    }

    /// A number that may be absent.
    fn maybe(&mut self, number: &mut Option<u64>) -> Result<(), IndexError> {
        let mut there = number.is_some();
        self.flag(&mut there)?;
        let mut value = number.unwrap_or(0);
        self.number(&mut value)?;
        *number = there.then_some(value);
        Ok(())
    }

    /// A text that may be absent.
    fn maybe_text(&mut self, text: &mut Option<String>) -> Result<(), IndexError> {
        let mut there = text.is_some();
        self.flag(&mut there)?;
        self.text(text.get_or_insert_default())?;
        if !there {
            *text = None;
        }
        Ok(())
    }

    /// A column of flags.
    fn flags(&mut self, flags: &mut Vec<bool>) -> Result<(), IndexError> {
        let mut bytes: Vec<u8> = flags.iter().map(|flag| u8::from(*flag)).collect();
        self.column(&mut bytes)?;
        *flags = bytes.into_iter().map(|byte| byte != 0).collect();
        Ok(())
    }

    /// A list of things, each walked on its own. Reading stops at the first that is damaged.
    fn list<T: Default>(
        &mut self,
        list: &mut Vec<T>,
        mut each: impl FnMut(&mut Self, &mut T) -> Result<(), IndexError>,
    ) -> Result<(), IndexError>
    where
        Self: Sized,
    {
        let mut count = list.len();
        self.size(&mut count)?;
        list.truncate(count);
        for place in 0..count {
            if place == list.len() {
                list.push(T::default());
            }
            each(self, &mut list[place])?;
        }
        Ok(())
    }
}

/// Costs, with all that makes them.
pub fn costs(columns: &mut impl Columns, costs: &mut Costs) -> Result<(), IndexError> {
    let (mut width, mut signed, mut saturated) = (costs.width(), costs.signed(), costs.saturated());
    columns.size(&mut width)?;
    columns.flag(&mut signed)?;
    columns.flag(&mut saturated)?;
    let mut cells = std::mem::take(costs).into_cells();
    columns.column(&mut cells)?;
    *costs = Costs::from_raw(width, signed, saturated, cells)
        .ok_or(IndexError::Damaged("costs do not fill their rows"))?;
    Ok(())
}

/// Writes.
pub struct Save<'w> {
    out: &'w mut dyn io::Write,
    sum: u64,
}

impl<'w> Save<'w> {
    /// Into a stream.
    pub fn new(out: &'w mut dyn io::Write) -> Self {
        Self { out, sum: 0 }
    }
}

/// A checksum that any changed bit changes; words of eight bytes, the last filled up with zeros.
fn summed(mut sum: u64, bytes: &[u8]) -> u64 {
    let mut mix = |word: u64| {
        sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^= sum >> 32;
    };
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    words.for_each(|word| mix(bytemuck::pod_read_unaligned(word)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        mix(u64::from_ne_bytes(last));
    }
    sum
}

impl Columns for Save<'_> {
    fn number(&mut self, number: &mut u64) -> Result<(), IndexError> {
        let bytes = number.to_ne_bytes();
        self.sum = summed(self.sum, &bytes);
        Ok(self.out.write_all(&bytes)?)
    }

    fn column<T: Pod>(&mut self, column: &mut Vec<T>) -> Result<(), IndexError> {
        let bytes: &[u8] = bytemuck::cast_slice(column);
        self.number(&mut (bytes.len() as u64))?;
        self.sum = summed(self.sum, bytes);
        self.out.write_all(bytes)?;
        Ok(self.out.write_all(&[0; 8][..padding(bytes.len())])?)
    }

    fn seal(&mut self) -> Result<(), IndexError> {
        let sum = std::mem::take(&mut self.sum);
        Ok(self.out.write_all(&sum.to_ne_bytes())?)
    }
}

/// Columns begin at multiples of eight bytes.
fn padding(length: usize) -> usize {
    length.next_multiple_of(8) - length
}

/// Reads.
pub struct Load<'b> {
    bytes: &'b [u8],
    sum: u64,
}

impl<'b> Load<'b> {
    /// From bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, sum: 0 }
    }

    /// What is not read yet.
    pub fn left(&self) -> &'b [u8] {
        self.bytes
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], IndexError> {
        let (taken, left) =
            self.bytes.split_at_checked(length).ok_or(IndexError::Damaged("it ends too early"))?;
        self.bytes = left;
        Ok(taken)
    }
}

impl Columns for Load<'_> {
    fn number(&mut self, number: &mut u64) -> Result<(), IndexError> {
        let bytes = self.take(8)?;
        self.sum = summed(self.sum, bytes);
        *number = bytemuck::pod_read_unaligned(bytes);
        Ok(())
    }

    fn seal(&mut self) -> Result<(), IndexError> {
        let sum = std::mem::take(&mut self.sum);
        let written: u64 = bytemuck::pod_read_unaligned(self.take(8)?);
        if sum == written { Ok(()) } else { Err(IndexError::Damaged("its checksum is wrong")) }
    }

    fn column<T: Pod>(&mut self, column: &mut Vec<T>) -> Result<(), IndexError> {
        let mut length = 0;
        self.size(&mut length)?;
        if !length.is_multiple_of(size_of::<T>()) {
            return Err(IndexError::Damaged("a column ends inside a value"));
        }
        let bytes = self.take(length)?;
        self.take(padding(length))?;
        self.sum = summed(self.sum, bytes);
        *column = bytemuck::pod_collect_to_vec(bytes);
        Ok(())
    }
}
