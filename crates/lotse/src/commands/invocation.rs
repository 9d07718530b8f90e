//! The command line told again, for findings that advise to measure once more: what changes the programs and how they
//! are started and judged, not when to stop or what to export.

use std::path::Path;

use crate::args::RunArgs;

/// Options and commands, quoted for a shell.
pub(crate) fn retold(args: &RunArgs) -> String {
    let mut words = Words::default();
    let (design, start, hooks, expect) = (&args.design, &args.start, &args.hooks, &args.expect);
    words.path("-f", args.suite.as_deref());
    words.flag("-S", start.system_shell);
    words.option("--shell", start.shell.as_deref());
    words.option("--runner", design.runner.as_deref());
    words.option("--events", Some(design.events.join(",").as_str()).filter(|events| !events.is_empty()));
    words.option("--metric", design.metric.as_deref());
    words.option("--reference", design.reference.as_deref());
    design.parameter_scan.chunks(3).for_each(|scan| words.several("-P", scan));
    design.parameter_list.chunks(2).for_each(|list| words.several("-L", list));
    design.parameter_step_size.iter().for_each(|step| words.option("-D", Some(step)));
    words.option("--setup", hooks.setup.as_deref());
    hooks.prepare.iter().for_each(|hook| words.option("--prepare", Some(hook)));
    hooks.conclude.iter().for_each(|hook| words.option("--conclude", Some(hook)));
    words.option("--cleanup", hooks.cleanup.as_deref());
    words.option("--input", Some(start.input.as_str()).filter(|input| *input != "null"));
    start.output.iter().for_each(|place| words.option("--output", Some(place)));
    start.env.iter().for_each(|assignments| words.option("--env", Some(assignments)));
    words.path("--cwd", start.cwd.as_deref());
    start.names.iter().for_each(|name| words.option("-n", Some(name)));
    if let Some(mode) = &expect.ignore_failure {
        words.0.push(format!("--ignore-failure={mode}"));
    }
    words.several("", &args.commands);
    words.0.join(" ")
}

/// Words of a command line.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn flag(&mut self, name: &str, set: bool) {
        self.0.extend(set.then(|| name.to_owned()));
    }

    fn option(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.0.extend([name.to_owned(), quoted(value)]);
        }
    }

    fn path(&mut self, name: &str, value: Option<&Path>) {
        self.option(name, value.map(|path| path.display().to_string()).as_deref());
    }

    fn several(&mut self, name: &str, values: &[String]) {
        self.flag(name, !name.is_empty());
        self.0.extend(values.iter().map(|value| quoted(value)));
    }
}

/// Plain words as they are, others in single quotes.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::retold;
    use crate::args::{Cli, Command};

    #[test]
    fn what_changes_the_programs_is_told_again() {
        let words = [
            "lotse",
            "bench",
            "-S",
            "--prepare",
            "make -s",
            "--budget",
            "3s",
            "-L",
            "n",
            "1,2",
            "a | b",
            "it's {n}",
        ];
        let Some(Command::Bench(bench)) = Cli::parse_from(words).command else { panic!("not bench") };
        assert_eq!(retold(&bench.run), r"-S -L n 1,2 --prepare 'make -s' 'a | b' 'it'\''s {n}'");
    }
}
