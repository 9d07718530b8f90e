//! Predictions that were saved as JSON (`lotse predict … --json > FILE`), as documents with pictures.
//!
//! A saved answer holds less than the analysis: what is not in it is left out here, and no number is computed anew. Sentences and
//! tables are made by the same functions as those of the command line.

use lotse_model::Finding;
use lotse_report::{Block, Document, Figure, Inline};
use serde::Deserialize;

use crate::answer::{AnswerHead, CompareAnswer, FunctionAnswer, ListAnswer, SweepAnswer, TileAnswer};
use crate::fit::answer::FitAnswer;
use crate::report;

mod compare;
mod function;
mod list;
mod pictures;

/// Longer files are refused: a prediction of thousands of loops has some megabytes.
pub const LONGEST: usize = 64 << 20;

/// An answer of `lotse predict --json`.
#[derive(Debug)]
pub enum SavedAnswer {
    Function(Box<FunctionAnswer>),
    List(ListAnswer),
    Sweep(Box<SweepAnswer>),
    Tile(Box<TileAnswer>),
    Compare(Box<CompareAnswer>),
    Fit(FitAnswer),
}

/// Why a file is not shown.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It is too long.
    #[error("the file has {0} bytes; saved predictions of up to {LONGEST} bytes are read")]
    TooLong(usize),
    /// It is of another version.
    #[error("the schema {0} is not known to this version of lotse")]
    Schema(String),
    /// It lacks something, or is cut off.
    #[error("the prediction is not complete: {0}")]
    Json(#[from] serde_json::Error),
}

/// The name of the schema, which every answer has.
#[derive(Deserialize)]
struct SchemaName {
    schema: String,
}

/// Whether a file says that it is a prediction. Only the beginning of objects is looked at, so that large files cost nothing.
pub fn is_saved_answer(bytes: &[u8]) -> bool {
    let start = bytes.get(..4096).unwrap_or(bytes);
    let is_object = start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let names_schema = || {
        // Another program may have sorted the keys, which puts the schema at the end.
        let end = &bytes[bytes.len().saturating_sub(4096)..];
        [start, end].iter().any(|part| contains(part, b"\"lotse.predict"))
    };
    is_object && (names_schema() || named_anywhere(bytes))
}

/// Whether a document of bearable length has the schema of a prediction.
fn named_anywhere(bytes: &[u8]) -> bool {
    bytes.len() <= LONGEST
        && contains(bytes, b"\"lotse.predict")
        && serde_json::from_slice::<SchemaName>(bytes).is_ok_and(|it| it.schema.starts_with("lotse.predict"))
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// Reads an answer.
pub fn read(bytes: &[u8]) -> Result<SavedAnswer, SavedError> {
    if bytes.len() > LONGEST {
        return Err(SavedError::TooLong(bytes.len()));
    }
    let schema = serde_json::from_slice::<SchemaName>(bytes)?.schema;
    Ok(match schema.as_str() {
        "lotse.predict/1" => SavedAnswer::Function(serde_json::from_slice(bytes)?),
        "lotse.predict.list/1" => SavedAnswer::List(serde_json::from_slice(bytes)?),
        "lotse.predict.sweep/1" => SavedAnswer::Sweep(serde_json::from_slice(bytes)?),
        "lotse.predict.tile/1" => SavedAnswer::Tile(serde_json::from_slice(bytes)?),
        "lotse.predict.compare/1" => SavedAnswer::Compare(serde_json::from_slice(bytes)?),
        "lotse.predict.fit/1" => SavedAnswer::Fit(serde_json::from_slice(bytes)?),
        _ => return Err(SavedError::Schema(schema)),
    })
}

impl SavedAnswer {
    /// The answer in a sentence, then tables and pictures.
    pub fn document(&self) -> Document {
        match self {
            Self::Function(answer) => function::document(answer),
            Self::List(answer) => list::document(answer),
            Self::Sweep(answer) => sweep(answer),
            Self::Tile(answer) => tiles(answer),
            Self::Compare(answer) => compare::document(answer),
            Self::Fit(answer) => {
                let mut document = answer.document();
                document.blocks.extend(pictures::fit(answer).map(Block::Figure));
                document
            }
        }
    }

    /// The findings that the answer has.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            Self::Function(answer) => answer.findings.clone(),
            Self::Compare(answer) => {
                let mut all = [answer.first.findings.clone(), answer.second.findings.clone()].concat();
                lotse_model::finding::sort(&mut all);
                all
            }
            Self::Fit(answer) => answer.findings().to_vec(),
            Self::List(answer) => answer.findings.clone(),
            Self::Sweep(_) | Self::Tile(_) => Vec::new(),
        }
    }
}

/// The document about a sweep over one parameter.
fn sweep(answer: &SweepAnswer) -> Document {
    let (name, parameter) = (&answer.head.function, &answer.parameter);
    let mut document = Document::new();
    let mut leaves: Vec<(&str, i64)> =
        answer.leaves.iter().map(|(cache, last)| (cache.as_str(), *last)).collect();
    leaves.sort_by_key(|(_, last)| *last);
    let changes: Vec<String> =
        leaves.iter().map(|(cache, last)| format!("leaves {cache} above {parameter} = {last}")).collect();
    document.lead(match changes.is_empty() {
        true => format!("The data of {name} stay in the same cache for all of these values."),
        false => format!("{name} {}.", changes.join(", ")),
    });
    let svg = report::points_picture((name, parameter), &answer.points, leaves.into_iter());
    document.push(Block::Figure(figure(name, parameter, svg)));
    document.push(Block::Table(report::points_table(parameter, &answer.points)));
    note(&mut document, &answer.head);
    document
}

/// The document about tile sizes, the fastest first.
fn tiles(answer: &TileAnswer) -> Document {
    let (name, parameter) = (&answer.head.function, answer.parameter.join(", "));
    let mut document = Document::new();
    document.lead(match answer.sizes.first() {
        Some(best) => report::fastest_tile(name, &parameter, best),
        None => format!("No tile size of {name} has a time."),
    });
    let svg = report::points_picture((name, &parameter), &answer.sizes, std::iter::empty());
    document.push(Block::Figure(figure(name, &parameter, svg)));
    document.push(Block::Table(report::points_table(&parameter, &answer.sizes)));
    note(&mut document, &answer.head);
    document
}

fn figure(name: &str, parameter: &str, svg: lotse_report::svg::Svg) -> Figure {
    Figure {
        svg,
        title: format!("{name}: predicted time over {parameter}"),
        caption: "The band holds the measured time with a probability of 80 %.".to_owned(),
        alt: format!(
            "the predicted time of {name} for values of {parameter}; the table below has the values"
        ),
    }
}

/// Adds what the time was predicted for: the compiler, the state of the caches and the machine.
fn note(document: &mut Document, head: &AnswerHead) {
    for assumption in &head.assumptions {
        document.push(Block::Paragraph(vec![dim(format!("Assumed: {assumption}."))]));
    }
    document.push(Block::Paragraph(vec![dim(head.note())]));
}

fn dim(text: String) -> Inline {
    Inline::Marked(lotse_report::Role::Dim, text)
}

#[cfg(test)]
mod tests;
