//! Sentences about assumptions: on broadcasts to condition variables, and on work between tests.

use lotse_report::Document;
use lotse_report::number::format_seconds;

use crate::analyze::{ConditionBarrierAnswer, WhatIfAnswer};
use crate::report::polling::polling;

/// Adds sentences about broadcasts taken as barriers, broadcasts kept as recorded, and work that may be waiting.
pub(super) fn conditions(document: &mut Document, answer: &WhatIfAnswer, names: &[String]) {
    for it in &answer.condition_barriers {
        let uncertainty = match (&it.broadcasters[..], answer.predicted_without_condition_barriers) {
            ([only], Some(otherwise)) => uncertainty_sentence(names, *only, otherwise),
            _ => String::new(),
        };
        document.paragraph(format!("{}{uncertainty}", barrier_sentence(it)));
    }
    if let Some(kept) = &answer.kept_broadcasts {
        let broadcasts = match kept.count {
            1 => "One broadcast of a condition is".to_owned(),
            count => format!("{count} broadcasts of conditions are"),
        };
        document.paragraph(format!(
            "{broadcasts} made by the same thread as in the recorded run ({} of waiting), although another thread may \
             come last after the change: the real gain may be smaller.",
            format_seconds(kept.seconds)
        ));
    }
    for work in &answer.polling_work {
        let work = polling(work);
        document.paragraph(format!(
            "{work} This replay keeps its length, so that the real gain may be larger or smaller."
        ));
    }
}

fn barrier_sentence(barrier: &ConditionBarrierAnswer) -> String {
    format!(
        "{} threads are taken to meet at a barrier made of a condition ({} times): whoever comes last lets all go on.",
        barrier.members.len(),
        barrier.rounds
    )
}

/// A sentence for barriers at which the same thread always broadcasts: it may not wait for the others.
fn uncertainty_sentence(names: &[String], only: u32, otherwise: f64) -> String {
    let name = names.get(only as usize).map_or("", String::as_str);
    format!(
        " In the recorded run that was always {name}; if it waits for nobody there, the run would become {}.",
        format_seconds(otherwise)
    )
}
