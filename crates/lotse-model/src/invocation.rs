//! The options and operands of the current command line, for findings that advise to run the command again with a change.
//!
//! The command-line crate fills it; rules name the options to add or to leave out. The rendered text is quoted for a shell,
//! so that the user can paste it.

use crate::finding::shell_word;

/// A command line without the program's name and the subcommand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Options to repeat, in the order given.
    pub options: Vec<GivenOption>,
    /// What the subcommand works on: commands to measure, files to read.
    pub operands: Vec<String>,
}

/// An option with its values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenOption {
    /// `--budget`, or `-S` where it has no long name.
    pub name: String,
    /// Its values, not quoted; none for a flag.
    pub values: Vec<String>,
    /// Whether name and value are joined by an equals sign.
    pub joined: bool,
    /// Names of options that conflict with it.
    pub excludes: Vec<String>,
    /// Other subcommands of the same command that have this option with the same meaning.
    pub verbs: Vec<String>,
}

impl GivenOption {
    /// The option as words of a shell.
    fn words(&self) -> Vec<String> {
        match self.values.as_slice() {
            [value] if self.joined || value.starts_with('-') => {
                vec![format!("{}={}", self.name, shell_word(value))]
            }
            values => {
                std::iter::once(self.name.clone()).chain(values.iter().map(|it| shell_word(it))).collect()
            }
        }
    }

    fn is_replaced_by(&self, added: &str) -> bool {
        self.name == added || self.excludes.iter().any(|name| name == added)
    }
}

impl Invocation {
    /// An empty command line, for callers that do not know theirs.
    pub const NONE: &'static Self = &Self { options: Vec::new(), operands: Vec::new() };

    /// The command line with options added, each written as `--name`, `--name value` or `--name=value`. A given option is
    /// left out if an added one has its name or conflicts with it, or if `without` names it.
    ///
    /// `--runs 9 a b` with `--runs 50` added is `--runs 50 a b`.
    pub fn with(&self, added: &[&str], without: &[&str]) -> String {
        let kept = self.options.iter().filter(|option| is_kept(option, added, without));
        let options = added.iter().map(ToString::to_string).chain(kept.flat_map(GivenOption::words));
        let options: Vec<String> = options.collect();
        [options, self.operand_words()].concat().join(" ")
    }

    /// The given options that another subcommand also has, and those in `added`; each word quoted, with a space before it.
    pub fn options_for(&self, verb: &str, added: &[&str]) -> String {
        let known = self.options.iter().filter(|option| option.verbs.iter().any(|known| known == verb));
        let kept = known.filter(|option| is_kept(option, added, &[]));
        let words = kept.flat_map(GivenOption::words).chain(added.iter().map(ToString::to_string));
        words.map(|word| format!(" {word}")).collect()
    }

    /// The command line with `command` appended to every hook of this name (`--prepare x` becomes `--prepare 'x && command'`),
    /// or with a new hook if there is none.
    pub fn with_hook(&self, name: &str, command: &str) -> String {
        let mut changed = self.clone();
        let mut found = false;
        for option in changed.options.iter_mut().filter(|option| option.name == name) {
            found = true;
            option.values.iter_mut().for_each(|value| *value = format!("{value} && {command}"));
        }
        let added = format!("{name} {}", shell_word(command));
        let added: &[&str] = if found { &[] } else { &[added.as_str()] };
        changed.with(added, &[])
    }

    fn operand_words(&self) -> Vec<String> {
        let end_of_options = self.operands.iter().any(|operand| operand.starts_with('-'));
        let words = self.operands.iter().map(|operand| shell_word(operand));
        end_of_options.then(|| "--".to_owned()).into_iter().chain(words).collect()
    }
}

/// Whether a given option stays in the command line: nothing in `added` replaces it and `without` does not name it.
fn is_kept(option: &GivenOption, added: &[&str], without: &[&str]) -> bool {
    let name = |added: &&str| added.split([' ', '=']).next().unwrap_or(added).to_owned();
    !without.contains(&option.name.as_str()) && !added.iter().map(name).any(|it| option.is_replaced_by(&it))
}

#[cfg(test)]
mod tests {
    use super::{GivenOption, Invocation};

    fn option(name: &str, values: &[&str]) -> GivenOption {
        let values = values.iter().map(ToString::to_string).collect();
        GivenOption { name: name.to_owned(), values, ..GivenOption::default() }
    }

    fn given() -> Invocation {
        let runs = GivenOption { excludes: vec!["--min-runs".to_owned()], ..option("--runs", &["3"]) };
        let clock = GivenOption { verbs: vec!["what-if".to_owned()], ..option("--clock", &["raw"]) };
        let aa = GivenOption { joined: true, ..option("--aa", &["5"]) };
        let options = vec![runs, option("-S", &[]), clock, aa, option("--prepare", &["make -s"])];
        Invocation { options, operands: vec!["it's".to_owned()] }
    }

    #[test]
    fn added_options_replace_what_they_exclude() {
        let rest = r"-S --clock raw --aa=5 --prepare 'make -s' 'it'\''s'";
        assert_eq!(given().with(&[], &[]), format!("--runs 3 {rest}"));
        assert_eq!(given().with(&["--runs 1"], &[]), format!("--runs 1 {rest}"));
        assert_eq!(given().with(&["--min-runs 30"], &[]), format!("--min-runs 30 {rest}"));
        assert_eq!(given().with(&["--aa=20"], &["--prepare", "--clock"]), r"--aa=20 --runs 3 -S 'it'\''s'");
    }

    #[test]
    fn other_verbs_get_what_they_know() {
        assert_eq!(given().options_for("what-if", &["--zero main"]), " --clock raw --zero main");
        assert_eq!(given().options_for("what-if", &["--clock corrected"]), " --clock corrected");
        assert_eq!(given().options_for("info", &[]), "");
    }

    #[test]
    fn hooks_are_extended_and_never_doubled() {
        assert!(given().with_hook("--prepare", "sync").contains("--prepare 'make -s && sync'"));
        assert!(Invocation::default().with_hook("--prepare", "sync").starts_with("--prepare sync"));
    }

    #[test]
    fn words_that_look_like_options_stay_values() {
        let mut call = Invocation { options: vec![option("--expect-output", &["-x"])], ..given() };
        call.operands = vec!["-odd".to_owned()];
        assert_eq!(call.with(&[], &[]), "--expect-output=-x -- -odd");
    }
}
