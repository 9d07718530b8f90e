//! What the functions are called: nested templates of 60 to 700 bytes, or a word and a number.

use super::Stacks;
use crate::dice::Dice;

const SPACES: [&str; 8] = [
    "boost::asio::detail",
    "boost::spirit::x3::detail",
    "std::__detail::__variant",
    "folly::futures::detail",
    "Eigen::internal",
    "mlir::detail",
    "engine::storage::index",
    "engine::query::plan",
];
const CLASSES: [&str; 8] = [
    "binder",
    "executor_function",
    "gen_vtable_impl",
    "parse_sequence",
    "dense_assignment_loop",
    "rewrite_pattern",
    "merge_iterator",
    "join_operator",
];
const METHODS: [&str; 8] =
    ["operator()", "complete", "visit_invoke", "parse_into", "run", "matchAndRewrite", "next", "evaluate"];
const LEAVES: [&str; 6] = [
    "int",
    "unsigned long",
    "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
    "std::shared_ptr<engine::storage::page>",
    "Eigen::Matrix<double, -1, -1, 0, -1, -1>",
    "boost::system::error_code",
];

/// The name of a function: no two are the same.
pub(super) fn function(stacks: Stacks, function: u32) -> String {
    if function == 0 {
        return "main".to_owned();
    }
    let mut dice = Dice::new(stacks.seed, "frame", u64::from(function));
    if !stacks.templated {
        return format!("{}_{function}", word(&mut dice, &CLASSES));
    }
    let class = template(&mut dice, 2);
    let method = word(&mut dice, &METHODS);
    let argument = word(&mut dice, &LEAVES);
    format!("{class}::{method}_{function}({argument} const&)")
}

fn template(dice: &mut Dice, depth: u32) -> String {
    let (space, class) = (word(dice, &SPACES), word(dice, &CLASSES));
    let arguments: Vec<String> = (0..1 + dice.below(2))
        .map(|_| match depth {
            0 => word(dice, &LEAVES).to_owned(),
            _ if dice.once_in(2) => word(dice, &LEAVES).to_owned(),
            _ => template(dice, depth - 1),
        })
        .collect();
    format!("{space}::{class}<{} >", arguments.join(", "))
}

fn word<'a>(dice: &mut Dice, words: &[&'a str]) -> &'a str {
    words[dice.below(words.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Stacks;

    #[test]
    fn names_are_distinct_and_long() {
        let names: Vec<String> = (1..1000).map(|it| super::function(Stacks::TEMPLATED, it)).collect();
        let length = names.iter().map(String::len).sum::<usize>() / names.len();
        assert!((100..250).contains(&length), "{length}");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }
}
