//! The compiled loops of a source: `--compile` and `--object`.

use std::path::Path;

use lotse_host::{compile, linked};
use lotse_predict::compiled::Compiled;
use lotse_predict::question::Language;
use lotse_predict::time::Compiler;
use lotse_symbols::Binary;

use crate::args::predict::AskArgs;
use crate::exit::{Exit, Failure};

/// The compiled loops of `--compile` or `--object`; `None` without these options.
pub(super) fn compiled(
    args: &AskArgs,
    file: &Path,
    defines: &[(String, i64)],
) -> Result<Option<Compiled>, Failure> {
    let missing = |error: lotse_host::CompileError| Failure::new(Exit::Missing, &error);
    let (name, bytes) = match (&args.compile, &args.object) {
        (Some(command), _) => {
            let mut words = shell_words::split(command)
                .map_err(|error| Failure::usage(format!("--compile {command}: {error}")))?;
            if Language::from_file_name(&file.display().to_string()) == Some(Language::C) {
                let options = args.cpp.iter().flat_map(|options| options.split_whitespace());
                words.extend(options.map(str::to_owned));
                let macros = defines.iter().filter(|(name, _)| is_macro(name));
                words.extend(macros.map(|(name, value)| format!("-D{name}={value}")));
            }
            (command.clone(), compile(file, &words).map_err(missing)?)
        }
        (None, Some(object)) => (object.display().to_string(), linked(object).map_err(missing)?),
        (None, None) => return Ok(None),
    };
    let unreadable = |message: String| Failure { exit: Exit::Unreadable, message };
    let wrong = |error: lotse_symbols::SymbolError| unreadable(format!("{name}: {error}"));
    let binary = Binary::parse(&bytes).map_err(wrong)?;
    let compiled = Compiled::new(&name, &binary, &file.display().to_string()).map_err(wrong)?;
    if compiled.is_empty() {
        return Err(unreadable(format!(
            "{name}: the code has no loop of {}: it has no debug information (-g), or the functions are not kept, as \
             generic ones that nothing calls",
            file.display()
        )));
    }
    Ok(Some(compiled))
}

/// The compiler model for what compiled loops do not show, by the command of the compiler.
pub(super) fn assumed_compiler(command: &str) -> Option<Compiler> {
    let mut words = command.split_whitespace();
    let compiler = words.next()?;
    let base = compiler.rsplit('/').next().unwrap_or(compiler);
    if base.starts_with("rustc") {
        return Some(Compiler::RustcO);
    }
    let vectorises = words.any(|option| option == "-O3" || option == "-Ofast") || base.starts_with("clang");
    Some(if vectorises { Compiler::GccO3 } else { Compiler::GccO2 })
}

/// The options of a compiler command that the preprocessor needs; `None` if there are none.
pub(super) fn preprocessor_options(command: &str) -> Option<String> {
    let words = shell_words::split(command).ok()?;
    let mut options: Vec<&str> = Vec::new();
    let mut left = words.iter().skip(1).map(String::as_str);
    while let Some(word) = left.next() {
        let has_value = matches!(word, "-D" | "-U" | "-I" | "-include" | "-isystem");
        if has_value || ["-D", "-U", "-I"].iter().any(|beginning| word.starts_with(beginning)) {
            options.push(word);
            if has_value {
                options.extend(left.next());
            }
        }
    }
    (!options.is_empty()).then(|| options.join(" "))
}

/// Whether a name is a macro by convention: it has no lower-case letter.
pub(super) fn is_macro(name: &str) -> bool {
    name.chars().all(|letter| !letter.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{Compiler, assumed_compiler, is_macro, preprocessor_options};

    #[test]
    fn options_for_the_preprocessor() {
        let options = |command: &str| preprocessor_options(command);
        assert_eq!(options("gcc -O3 -march=native"), None);
        assert_eq!(
            options("gcc -O3 -DN=9 -g -I include -Isrc -include a.h -c"),
            Some("-DN=9 -I include -Isrc -include a.h".to_owned())
        );
    }

    #[test]
    fn the_command_gives_the_compiler_model() {
        let commands =
            ["gcc -O2 -g", "cc -march=native -O3", "clang -O2", "/usr/bin/rustc -C opt-level=3", ""]
                .map(assumed_compiler);
        let expected = [
            Some(Compiler::GccO2),
            Some(Compiler::GccO3),
            Some(Compiler::GccO3),
            Some(Compiler::RustcO),
            None,
        ];
        assert_eq!(commands, expected);
        assert_eq!(["N", "TILE_2", "n", "Block"].map(is_macro), [true, true, false, false]);
    }
}
