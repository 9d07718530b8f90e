//! Sentences about what memory layouts vary, and about programs whose heap cannot be moved.

use crate::answer::Answer;

/// What differs between the layouts, and each program whose heap should differ but does not.
pub(super) fn sentences(answer: &Answer) -> impl Iterator<Item = String> {
    let parts = answer.layouts.as_ref().map(|record| {
        let names: Vec<&str> = record.parts.iter().map(|part| part.name()).collect();
        let ran = answer.levels.iter().flat_map(|it| &it.levels).filter(|it| it.level == "layout");
        let count = match ran.map(|it| it.count).max() {
            Some(ran) if ran < record.count => format!("{ran} of {}", record.count),
            _ => record.count.to_string(),
        };
        format!("{count} layouts, which vary: {}", names.join(", "))
    });
    parts.into_iter().chain(fixed_heaps(answer))
}

/// Each program whose heap should differ between layouts but does not, with the reason.
pub fn fixed_heaps(answer: &Answer) -> impl Iterator<Item = String> {
    let fixed = answer.layouts.iter().flat_map(|record| &record.fixed_heaps);
    fixed.map(|it| format!("the heap of {} is the same in all layouts: {}", it.program, it.reason))
}

#[cfg(test)]
mod tests {
    use super::sentences;
    use crate::answer::Answer;
    use lotse_model::results::{FixedHeap, LayoutPart, LayoutRecord, ResultSet};

    #[test]
    fn parts_and_programs_that_were_not_moved() {
        let fixed = FixedHeap { program: "tool".to_owned(), reason: "it is linked statically".to_owned() };
        let record = LayoutRecord { count: 20, parts: LayoutPart::ALL.into(), fixed_heaps: vec![fixed] };
        let answer = Answer::from_results(&ResultSet { layouts: Some(record), ..ResultSet::default() });
        assert_eq!(
            sentences(&answer).collect::<Vec<_>>(),
            [
                "20 layouts, which vary: environment, name, heap",
                "the heap of tool is the same in all layouts: it is linked statically"
            ]
        );
        assert_eq!(sentences(&Answer::from_results(&ResultSet::default())).count(), 0);
    }
}
