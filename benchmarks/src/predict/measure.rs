//! Compiled kernels and their times.

use std::fs;
use std::path::Path;

use lotse_predict::compiled::Compiled;
use lotse_predict::question::Language;
use lotse_predict::time::Compiler;

use super::kernels::Kernel;
use crate::error::Error;
use crate::workshop::Workshop;

const HARNESS_C: &str = include_str!("../../programs/predict/harness.c");
const HARNESS_RS: &str = include_str!("../../programs/predict/harness.rs");

/// A kernel at one size, compiled.
#[derive(Debug)]
pub struct Program {
    /// The position of the kernel.
    pub kernel: usize,
    /// N.
    pub size: i64,
    /// How it was compiled.
    pub compiler: Compiler,
    argv: Vec<String>,
    /// Nanoseconds of one call, one for each round.
    pub times: Vec<f64>,
}

impl Program {
    /// The fastest round, in seconds: a disturbance only ever makes a run longer, and a neighbour on the same core makes many
    /// rounds longer.
    pub fn seconds(&self) -> Option<f64> {
        self.times.iter().copied().min_by(f64::total_cmp).map(|time| time * 1e-9)
    }
}

/// Compiles every kernel for every size; those of C with -O2 and with -O3 and these options.
pub fn compile(workshop: &mut Workshop, kernels: &[Kernel], options: &str) -> Result<Vec<Program>, Error> {
    for (name, text) in [("harness.c", HARNESS_C), ("harness.rs", HARNESS_RS)] {
        write(workshop, name, text)?;
    }
    let mut programs = Vec::new();
    for (index, kernel) in kernels.iter().enumerate() {
        match kernel.language {
            Language::C => {
                write(workshop, "kernel.c", &kernel.text)?;
                for (compiler, level) in [(Compiler::GccO2, "-O2"), (Compiler::GccO3, "-O3")] {
                    for size in &kernel.sizes {
                        let name = format!("{}_{size}{level}", kernel.name);
                        let line =
                            format!("gcc {level} {options} -DN={size} -o {name} kernel.c harness.c -lm");
                        workshop.run("gcc", &words(&line), &[0])?;
                        programs.push(program(workshop, (index, *size), compiler, &[name]));
                    }
                }
            }
            Language::Rust => {
                write(workshop, "kernel.rs", &kernel.text)?;
                let line = format!("rustc -O --edition 2021 -A warnings -o {} harness.rs", kernel.name);
                workshop.run("rustc", &words(&line), &[0])?;
                for size in &kernel.sizes {
                    let argv = [kernel.name.clone(), size.to_string()];
                    programs.push(program(workshop, (index, *size), Compiler::RustcO, &argv));
                }
            }
        }
    }
    Ok(programs)
}

fn program(
    workshop: &Workshop,
    (kernel, size): (usize, i64),
    compiler: Compiler,
    argv: &[String],
) -> Program {
    let mut argv = argv.to_vec();
    argv[0] = workshop.path(&argv[0]).display().to_string();
    Program { kernel, size, compiler, argv, times: Vec::new() }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn write(workshop: &Workshop, name: &str, text: &str) -> Result<(), Error> {
    let path = workshop.path(name);
    fs::write(&path, text).map_err(Error::file("write", &path))
}

/// The loops of a kernel as its compiler leaves them.
pub fn compiled(
    workshop: &Workshop,
    kernel: &Kernel,
    size: i64,
    compiler: Compiler,
) -> Result<Compiled, Error> {
    let (file, line) = match compiler {
        Compiler::GccO2 => ("kernel.c", format!("gcc -O2 -DN={size}")),
        Compiler::GccO3 => ("kernel.c", format!("gcc -O3 -DN={size}")),
        Compiler::RustcO => ("kernel.rs", "rustc -O --edition 2021".to_owned()),
    };
    write(workshop, file, &kernel.text)?;
    let wrong = |what: String| Error::Answer { tool: "a compiler", what };
    let bytes =
        lotse_host::compile(&workshop.path(file), &words(&line)).map_err(|error| wrong(error.to_string()))?;
    let binary = lotse_symbols::Binary::parse(&bytes).map_err(|error| wrong(error.to_string()))?;
    Compiled::new(&line, &binary, file).map_err(|error| wrong(error.to_string()))
}

/// Runs every program once.
pub fn round(workshop: &mut Workshop, programs: &mut [Program]) -> Result<(), Error> {
    for program in programs {
        let output = workshop.run("a kernel", &program.argv, &[0])?.stdout;
        let time = output.trim().parse::<f64>().ok().filter(|time| *time > 0.0);
        let missing = || Error::Answer { tool: "a kernel", what: "time".to_owned() };
        program.times.push(time.ok_or_else(missing)?);
    }
    Ok(())
}

/// All programs without being compiled, for times that were kept.
pub fn listed(kernels: &[Kernel]) -> Vec<Program> {
    let mut programs = Vec::new();
    for (kernel, source) in kernels.iter().enumerate() {
        let compilers: &[Compiler] = match source.language {
            Language::C => &[Compiler::GccO2, Compiler::GccO3],
            Language::Rust => &[Compiler::RustcO],
        };
        for compiler in compilers {
            let program = |size: &i64| Program {
                kernel,
                size: *size,
                compiler: *compiler,
                argv: Vec::new(),
                times: Vec::new(),
            };
            programs.extend(source.sizes.iter().map(program));
        }
    }
    programs
}

/// Writes all times: kernel, size, compiler and the times of the rounds, one program in a line.
pub fn keep(path: &Path, kernels: &[Kernel], programs: &[Program]) -> Result<(), Error> {
    let line = |program: &Program| {
        let times: Vec<String> = program.times.iter().map(ToString::to_string).collect();
        format!("{}\t{}\n", key(kernels, program), times.join(" "))
    };
    fs::write(path, programs.iter().map(line).collect::<String>()).map_err(Error::file("write", path))
}

/// Reads times that were kept.
pub fn restore(path: &Path, kernels: &[Kernel], programs: &mut [Program]) -> Result<(), Error> {
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    for program in programs {
        let key = key(kernels, program);
        let line = text.lines().find_map(|line| line.strip_prefix(&key)?.strip_prefix('\t'));
        let missing = || Error::Answer { tool: "the kept times", what: key.clone() };
        let times = line.ok_or_else(missing)?.split_whitespace().filter_map(|word| word.parse().ok());
        program.times = times.collect();
    }
    Ok(())
}

fn key(kernels: &[Kernel], program: &Program) -> String {
    format!("{} {} {}", kernels[program.kernel].name, program.size, program.compiler.name())
}
