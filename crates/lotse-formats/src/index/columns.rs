//! Writes and reads columns through one interface, [`ColumnVisitor`].

use std::io;

use bytemuck::Pod;
use lotse_model::profile::Costs;

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It ends too early, or its columns do not fit together.
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    #[error("the index cannot be written")]
    Write(#[from] io::Error),
}

/// Writes each value that it visits, or replaces it by the value that it reads.
pub trait ColumnVisitor {
    /// Visits a number.
    fn number(&mut self, number: &mut u64) -> Result<(), IndexError>;
    /// Visits a column of plain values.
    fn column<T: Pod>(&mut self, column: &mut Vec<T>) -> Result<(), IndexError>;
    /// Ends a section: writes or checks the checksum of everything since the last section.
    fn seal(&mut self) -> Result<(), IndexError>;

    /// Visits a text.
    fn text(&mut self, text: &mut String) -> Result<(), IndexError> {
        let mut bytes = std::mem::take(text).into_bytes();
        self.column(&mut bytes)?;
        *text = String::from_utf8(bytes).map_err(|_| IndexError::Damaged("a text is no UTF-8"))?;
        Ok(())
    }

    /// Visits a number of elements.
    fn size(&mut self, size: &mut usize) -> Result<(), IndexError> {
        let mut number = *size as u64;
        self.number(&mut number)?;
        *size = usize::try_from(number).map_err(|_| IndexError::Damaged("a number is too large"))?;
        Ok(())
    }

    /// Visits a truth value.
    fn flag(&mut self, flag: &mut bool) -> Result<(), IndexError> {
        let mut number = u64::from(*flag);
        self.number(&mut number)?;
        *flag = number != 0;
        Ok(())
    }

    /// Visits a number that may be absent.
    fn optional_number(&mut self, number: &mut Option<u64>) -> Result<(), IndexError> {
        let mut is_present = number.is_some();
        self.flag(&mut is_present)?;
        let mut value = number.unwrap_or(0);
        self.number(&mut value)?;
        *number = is_present.then_some(value);
        Ok(())
    }

    /// Visits a text that may be absent.
    fn optional_text(&mut self, text: &mut Option<String>) -> Result<(), IndexError> {
        let mut is_present = text.is_some();
        self.flag(&mut is_present)?;
        self.text(text.get_or_insert_default())?;
        if !is_present {
            *text = None;
        }
        Ok(())
    }

    /// Visits a column of truth values.
    fn flags(&mut self, flags: &mut Vec<bool>) -> Result<(), IndexError> {
        let mut bytes: Vec<u8> = flags.iter().map(|flag| u8::from(*flag)).collect();
        self.column(&mut bytes)?;
        *flags = bytes.into_iter().map(|byte| byte != 0).collect();
        Ok(())
    }

    /// Visits the length of a list, then each element with `each`. Reading stops at the first damaged element.
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
        for index in 0..count {
            if index == list.len() {
                list.push(T::default());
            }
            each(self, &mut list[index])?;
        }
        Ok(())
    }
}

/// Visits costs: their width, their flags and their cells.
pub fn visit_costs(columns: &mut impl ColumnVisitor, costs: &mut Costs) -> Result<(), IndexError> {
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

/// Writes what it visits.
pub struct ColumnWriter<'w> {
    out: &'w mut dyn io::Write,
    sum: u64,
}

impl<'w> ColumnWriter<'w> {
    /// Writes to `out`.
    pub fn new(out: &'w mut dyn io::Write) -> Self {
        Self { out, sum: 0 }
    }

    /// Writes a column.
    pub(super) fn write<T: Pod>(&mut self, column: &[T]) -> Result<(), IndexError> {
        let bytes: &[u8] = bytemuck::cast_slice(column);
        self.number(&mut (bytes.len() as u64))?;
        self.sum = add_to_checksum(self.sum, bytes);
        self.out.write_all(bytes)?;
        Ok(self.out.write_all(&[0; 8][..padding(bytes.len())])?)
    }

    /// Writes costs as [`visit_costs`] does, without a copy.
    pub(super) fn write_costs(&mut self, costs: &Costs) -> Result<(), IndexError> {
        self.size(&mut costs.width())?;
        self.flag(&mut costs.signed())?;
        self.flag(&mut costs.saturated())?;
        self.write(costs.cells())
    }
}

/// Sums that are computed side by side, since each step of one sum waits for the step before.
const LANES: usize = 4;

/// Adds bytes to a checksum that every changed bit changes. They are taken in words of eight bytes, the last one padded
/// with zeros; of several words each goes into another lane, and the lanes are added at the end.
fn add_to_checksum(sum: u64, bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| {
        let product = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 32)
    };
    let mut lanes = [sum; LANES];
    let blocks = bytes.chunks_exact(8 * LANES);
    let rest = blocks.remainder();
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.chunks_exact(8)) {
            *lane = mix(*lane, bytemuck::pod_read_unaligned(word));
        }
    }
    for (lane, word) in lanes.iter_mut().zip(rest.chunks(8)) {
        let mut last = [0; 8];
        last[..word.len()].copy_from_slice(word);
        *lane = mix(*lane, u64::from_ne_bytes(last));
    }
    lanes.into_iter().fold(sum, mix)
}

impl ColumnVisitor for ColumnWriter<'_> {
    fn number(&mut self, number: &mut u64) -> Result<(), IndexError> {
        let bytes = number.to_ne_bytes();
        self.sum = add_to_checksum(self.sum, &bytes);
        Ok(self.out.write_all(&bytes)?)
    }

    fn column<T: Pod>(&mut self, column: &mut Vec<T>) -> Result<(), IndexError> {
        self.write(column)
    }

    fn seal(&mut self) -> Result<(), IndexError> {
        let sum = std::mem::take(&mut self.sum);
        Ok(self.out.write_all(&sum.to_ne_bytes())?)
    }
}

/// The bytes of padding after a column: columns begin at multiples of eight bytes.
fn padding(length: usize) -> usize {
    length.next_multiple_of(8) - length
}

/// Reads what it visits.
pub struct ColumnReader<'b> {
    bytes: &'b [u8],
    sum: u64,
}

impl<'b> ColumnReader<'b> {
    /// Reads from `bytes`.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, sum: 0 }
    }

    /// The bytes that were not read yet.
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

impl ColumnVisitor for ColumnReader<'_> {
    fn number(&mut self, number: &mut u64) -> Result<(), IndexError> {
        let bytes = self.take(8)?;
        self.sum = add_to_checksum(self.sum, bytes);
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
        self.sum = add_to_checksum(self.sum, bytes);
        *column = bytemuck::pod_collect_to_vec(bytes);
        Ok(())
    }
}
