//! The document about two saved functions.

use lotse_report::{Block, Document};

use super::{function, pictures};
use crate::answer::{CompareAnswer, FunctionAnswer};
use crate::report::{faster_sentence, unknown_faster_sentence};

/// Which one is faster, both times as bars, and the documents of both.
pub(super) fn document(answer: &CompareAnswer) -> Document {
    let mut document = Document::new();
    document.lead(sentence(answer));
    document.push(Block::Figure(pictures::two_functions(answer)));
    for one in [&answer.first, &answer.second] {
        document.heading(2, name(one));
        document.blocks.extend(function::document(one).blocks);
    }
    document
}

fn sentence(answer: &CompareAnswer) -> String {
    let names = [name(&answer.first), name(&answer.second)];
    let (Some(ratio), Some(first_is_faster)) = (answer.ratio, answer.first_is_faster) else {
        let incomplete = if answer.first.refused.is_empty() { 1 } else { 0 };
        return unknown_faster_sentence(&names[incomplete]);
    };
    faster_sentence(&names[0], &names[1], ratio, first_is_faster)
}

/// "mm of product.c".
pub(super) fn name(answer: &FunctionAnswer) -> String {
    format!("{} of {}", answer.head.function, answer.head.site.file)
}
