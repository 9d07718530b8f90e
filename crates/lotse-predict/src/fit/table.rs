//! Measured times as CSV: a line of names, then numbers. A row without a time is a point that the model shall predict.

/// Why a table cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    #[error("the table is empty; it needs a line of names and lines of numbers")]
    Empty,
    /// A line has another number of fields than the first line.
    #[error("line {line} has {found} fields instead of {expected}")]
    Fields { line: usize, found: usize, expected: usize },
    /// A field is not a positive number.
    #[error("line {line}: {name} is '{text}', not a positive number")]
    Number { line: usize, name: String, text: String },
    #[error("the table has no column {0}; its columns are {1}")]
    NoColumn(&'static str, String),
}

/// The column of measured times.
const TIME: &str = "time";

/// A table of positive numbers by column.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasurementTable {
    /// Names of the columns.
    pub names: Vec<String>,
    /// The columns, with the rows that have a time.
    pub columns: Vec<Vec<f64>>,
    /// The columns, with the rows that have no time; their time is 0.
    pub unmeasured: Vec<Vec<f64>>,
}

impl MeasurementTable {
    /// Parses a table. Fields are separated by commas; empty lines and lines that begin with # are ignored.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (_, head) = lines.next().ok_or(TableError::Empty)?;
        let names: Vec<String> = head.split(',').map(|name| name.trim().to_owned()).collect();
        let (mut columns, mut unmeasured) = (vec![Vec::new(); names.len()], vec![Vec::new(); names.len()]);
        for (line, content) in lines {
            let fields: Vec<&str> = content.split(',').map(str::trim).collect();
            if fields.len() != names.len() {
                return Err(TableError::Fields { line, found: fields.len(), expected: names.len() });
            }
            let open = |(name, field): (&String, &&str)| name.eq_ignore_ascii_case(TIME) && field.is_empty();
            let unknown = names.iter().zip(&fields).any(open);
            let target = if unknown { &mut unmeasured } else { &mut columns };
            for ((field, name), column) in fields.iter().zip(&names).zip(target) {
                if unknown && name.eq_ignore_ascii_case(TIME) {
                    column.push(0.0);
                    continue;
                }
                let number = field.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
                let wrong = || TableError::Number { line, name: name.clone(), text: (*field).to_owned() };
                column.push(number.ok_or_else(wrong)?);
            }
        }
        if columns.first().is_none_or(Vec::is_empty) {
            Err(TableError::Empty)
        } else {
            Ok(Self { names, columns, unmeasured })
        }
    }

    /// A column of the rows with a time; upper and lower case are equal.
    pub fn column(&self, name: &'static str) -> Result<&[f64], TableError> {
        let found = self.names.iter().position(|known| known.eq_ignore_ascii_case(name));
        let column = found.and_then(|index| self.columns.get(index));
        column.map(Vec::as_slice).ok_or_else(|| TableError::NoColumn(name, self.names.join(", ")))
    }

    /// Whether there is a column of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The same column of the rows without a time.
    pub fn unmeasured_column(&self, name: &'static str) -> Result<&[f64], TableError> {
        let found = self.names.iter().position(|known| known.eq_ignore_ascii_case(name));
        let column = found.and_then(|index| self.unmeasured.get(index));
        column.map(Vec::as_slice).ok_or_else(|| TableError::NoColumn(name, self.names.join(", ")))
    }

    /// A description of a row with a time by its columns other than `left_out`: "N = 300, B = 52".
    pub fn label(&self, row: usize, left_out: &[&str]) -> String {
        self.label_in(&self.columns, row, left_out)
    }

    /// The same for a row without a time.
    pub fn unmeasured_label(&self, row: usize, left_out: &[&str]) -> String {
        self.label_in(&self.unmeasured, row, left_out)
    }

    fn label_in(&self, columns: &[Vec<f64>], row: usize, left_out: &[&str]) -> String {
        let shown = self.names.iter().zip(columns);
        let shown = shown.filter(|(name, _)| !left_out.iter().any(|other| name.eq_ignore_ascii_case(other)));
        let parts: Vec<String> = shown.map(|(name, column)| format!("{name} = {}", column[row])).collect();
        if parts.is_empty() { format!("row {}", row + 1) } else { parts.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::{MeasurementTable, TableError};

    #[test]
    fn tables_are_read_and_refused_with_line() {
        let table = MeasurementTable::parse("N, X1,time\r\n# remark\n100,2, 3.5\n\n200,4,7\n").unwrap();
        assert_eq!(table.column("x1"), Ok(&[2.0, 4.0][..]));
        assert_eq!(table.label(1, &["x1", "time"]), "N = 200");
        assert!(table.column("x2").unwrap_err().to_string().contains("N, X1, time"));
        assert_eq!(MeasurementTable::parse(""), Err(TableError::Empty));
        assert_eq!(
            MeasurementTable::parse("a,b\n1\n"),
            Err(TableError::Fields { line: 2, found: 1, expected: 2 })
        );
        let open = MeasurementTable::parse("x1,time\n1,2\n3,\n5,4\n").unwrap();
        assert_eq!((open.column("x1"), open.unmeasured_column("x1")), (Ok(&[1.0, 5.0][..]), Ok(&[3.0][..])));
        assert_eq!(open.unmeasured_label(0, &["time"]), "x1 = 3");
        for wrong in ["x", "-1", "0", "nan", "inf", ""] {
            assert!(
                MeasurementTable::parse(&format!("a,b\n1,{wrong}\n"))
                    .unwrap_err()
                    .to_string()
                    .starts_with("line 2"),
                "{wrong}"
            );
        }
    }
}
