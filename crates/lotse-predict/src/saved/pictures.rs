//! Saved predictions as bars. The tables beside them have the same values.

use lotse_model::Unit;
use lotse_report::Figure;
use lotse_report::svg::{Bar, Labels, bars};

use super::compare::name;
use crate::answer::{CompareAnswer, FunctionAnswer, ListAnswer};
use crate::fit::answer::FitAnswer;

/// More bars than this would be no picture; the longest ones are drawn, and the caption says so.
const MOST: usize = 40;

/// The loops of a function in the order of the source.
pub(super) fn loops(answer: &FunctionAnswer) -> Figure {
    let bar = |it: &crate::answer::LoopAnswer| Bar {
        name: it.label(),
        value: it.seconds,
        range: it.bounded.then_some(it.range.into()),
    };
    let name = &answer.head.function;
    let texts = Texts {
        title: format!("{name}: predicted time by loop"),
        caption: "Each loop without the loops in it; a whisker is the best and the worst case of a loop whose time depends on data.",
        quantity: "predicted time",
        unit: Unit::Seconds,
    };
    texts.figure(answer.loops.iter().map(bar).collect())
}

/// The functions of a file that have a time; `None` if none has.
pub(super) fn functions(answer: &ListAnswer) -> Option<Figure> {
    let bar = |it: &crate::answer::ListedAnswer| {
        Some(Bar { name: it.function.clone(), value: it.time()?, range: it.interval.map(Into::into) })
    };
    let all: Vec<Bar> = answer.functions.iter().filter_map(bar).collect();
    let texts = Texts {
        title: format!("{}: predicted time by function", answer.file),
        caption: "A whisker holds the measured time with a probability of 80 %. Functions without a time are not drawn.",
        quantity: "predicted time",
        unit: Unit::Seconds,
    };
    (!all.is_empty()).then(|| texts.figure(all))
}

/// The times of two functions that are compared.
pub(super) fn two_functions(answer: &CompareAnswer) -> Figure {
    let bar =
        |it: &FunctionAnswer| Bar { name: name(it), value: it.seconds, range: Some(it.interval.into()) };
    let texts = Texts {
        title: "Predicted times".to_owned(),
        caption: "A whisker holds the measured time with a probability of 80 %.",
        quantity: "predicted time",
        unit: Unit::Seconds,
    };
    texts.figure(vec![bar(&answer.first), bar(&answer.second)])
}

/// What a model gives for rows without a time; `None` if there are none.
pub(super) fn fit(answer: &FitAnswer) -> Option<Figure> {
    let bar =
        |it: &crate::fit::answer::PredictedRow| Bar { name: it.row.clone(), value: it.time, range: None };
    let texts = Texts {
        title: "Times by the model".to_owned(),
        caption: "Rows without a measured time, in the unit of the measured ones.",
        quantity: "time by the model",
        unit: Unit::Number,
    };
    (!answer.predictions.is_empty()).then(|| texts.figure(answer.predictions.iter().map(bar).collect()))
}

struct Texts {
    title: String,
    caption: &'static str,
    quantity: &'static str,
    unit: Unit,
}

impl Texts {
    /// The longest bars in their order.
    fn figure(self, mut all: Vec<Bar>) -> Figure {
        let count = all.len();
        if count > MOST {
            let mut values: Vec<f64> = all.iter().map(|bar| bar.value).collect();
            values.sort_by(|a, b| b.total_cmp(a));
            let least = values[MOST - 1];
            all.retain(|bar| bar.value >= least);
            all.truncate(MOST);
        }
        let cut =
            if count > MOST { format!(" Drawn are the {MOST} longest of {count}.") } else { String::new() };
        let labels = Labels {
            title: self.title.clone(),
            description: self.caption.to_owned(),
            quantity: self.quantity.to_owned(),
            unit: self.unit,
        };
        Figure {
            svg: bars(&labels, &all),
            alt: format!("{} as bars; the table has the values", self.title),
            title: self.title,
            caption: format!("{}{cut}", self.caption),
        }
    }
}
