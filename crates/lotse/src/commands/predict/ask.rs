//! `lotse predict FILE`: predicts one function, all functions, a sweep, tile sizes, or a comparison of two.

use std::path::Path;

use lotse_host::FileSink;
use lotse_model::bytes::Sink as _;
use lotse_model::rule::Thresholds;
use lotse_model::{Finding, finding};
use lotse_predict::answer::{
    CompareAnswer, FunctionAnswer, FunctionOutcome, FunctionQuery, ListAnswer, SweepAnswer, TileAnswer,
};
use lotse_predict::compare::compare;
use lotse_predict::compiled::Compiled;
use lotse_predict::concrete::{Instance, Values};
use lotse_predict::locality::Start;
use lotse_predict::machine::Machine;
use lotse_predict::nest::Function;
use lotse_predict::question::{FunctionAnalysis, Language, analyse, has_loops, missing_parameters};
use lotse_predict::report;
use lotse_predict::rules::{PredictedNest, findings};
use lotse_predict::sweep::{Regime, SweepPoint, TILES, sweep, tile_parameters, tiles};
use lotse_predict::time::{Assumptions, Compiler};

use super::compiled::{assumed_compiler, compiled, is_macro, preprocessor_options};
use super::input::{SourceFile, defines, range, read, values};
use super::machine::machine;
use crate::args::predict::{AskArgs, AssumeArg, CacheArg};
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::Settings;

/// What all kinds of predictions need.
struct PredictRequest<'a> {
    args: &'a AskArgs,
    machine: &'a Machine,
    compiled: Option<&'a Compiled>,
    defines: Vec<(String, i64)>,
}

/// Reads source, machine and compiled code, and makes the kind of prediction that the options ask for.
pub(super) fn run(args: &AskArgs) -> Result<Exit, Failure> {
    let Some(file) = &args.file else { return Err(Failure::usage("name a C or Rust source")) };
    let machine = machine(args.machine.as_deref())?;
    let defines = defines(&args.define)?;
    let mut named = defines.clone();
    let swept = args.sweep.as_deref().map(range).transpose()?;
    if let Some((name, first, _)) = &swept {
        named.push((name.clone(), *first));
    }
    let is_c = Language::from_file_name(&file.display().to_string()) == Some(Language::C);
    let given = args.compile.as_deref().filter(|_| is_c).and_then(preprocessor_options);
    let cpp = args.cpp.as_deref().or(given.as_deref());
    let source = read(file, cpp, &named)?;
    let second = args.compare.as_deref().map(|path| read(path, args.cpp.as_deref(), &named)).transpose()?;
    if second.is_none() {
        source.check(&named)?;
    }
    if args.svg.is_some() && swept.is_none() && !args.tile {
        return Err(Failure::usage("--svg draws a sweep or tile sizes: add --sweep or --tile"));
    }
    let compiled = compiled(args, file, &named)?;
    let request = PredictRequest { args, machine: &machine, compiled: compiled.as_ref(), defines };
    if let Some((name, ..)) = &swept {
        request.refuse_compiled(name)?;
    }
    match (&swept, &second) {
        (Some(swept), _) => request.sweep(&source, swept),
        (None, Some(second)) => request.compare(&source, second),
        (None, None) if args.tile => request.tiles(&source),
        (None, None) if args.function.is_some() => request.one(&source),
        (None, None) => request.list(&source),
    }
}

impl<'a> PredictRequest<'a> {
    fn assumptions(&self, source: &SourceFile) -> Assumptions<'a> {
        let of_command = self.args.compile.as_deref().and_then(assumed_compiler);
        let compiler = match self.args.assume {
            None => of_command.unwrap_or_else(|| source.language.default_compiler()),
            Some(AssumeArg::GccO2) => Compiler::GccO2,
            Some(AssumeArg::GccO3) => Compiler::GccO3,
            Some(AssumeArg::RustcO) => Compiler::RustcO,
        };
        let start = match self.args.cache {
            CacheArg::Warm => Start::Warm,
            CacheArg::Cold => Start::Cold,
        };
        Assumptions { machine: self.machine, compiler, start, compiled: self.compiled }
    }

    /// Refuses to vary a macro, of which compiled code has only one value.
    fn refuse_compiled(&self, name: &str) -> Result<(), Failure> {
        match self.compiled.filter(|_| is_macro(name)) {
            None => Ok(()),
            Some(_) => Err(Failure::usage(format!(
                "the compiled code holds one value of the macro {name}; make it a parameter, or leave --compile out"
            ))),
        }
    }

    /// The function asked about, with values of all parameters that its loops depend on, except those in `also`.
    fn chosen<'s>(&self, source: &'s SourceFile, also: &[&str]) -> Result<(&'s Function, Values), Failure> {
        let function = source.function(self.args.function.as_deref())?;
        let values = values(function, &self.defines);
        let mut open = missing_parameters(function, &values);
        open.retain(|name| !also.contains(&name.as_str()));
        if open.is_empty() {
            return Ok((function, values));
        }
        let example: Vec<String> = open.iter().map(|name| format!("-D {name}=1000")).collect();
        let changed = open.iter().find_map(|name| Some((name, name.split_once('#')?.0)));
        let meaning = changed.map_or_else(String::new, |(name, plain)| {
            format!(" ({name} is {plain} after it got a value that the source does not tell)")
        });
        Err(Failure::usage(format!(
            "the time of {} depends on {}{meaning}; give values, such as {}",
            function.name,
            open.join(", "),
            example.join(" ")
        )))
    }

    fn one(&self, source: &SourceFile) -> Result<Exit, Failure> {
        let (function, values) = self.chosen(source, &[])?;
        let query = self.query(source, function, &values);
        let (analysed, findings) = time_and_findings(query)?;
        if self.args.json {
            return screen::json(&FunctionAnswer::new(query, &analysed, findings));
        }
        screen::document(&report::function(query, &analysed))?;
        screen::findings(&findings, None)
    }

    fn query<'q>(
        &self,
        source: &'q SourceFile,
        function: &'q Function,
        values: &'q Values,
    ) -> FunctionQuery<'q>
    where
        'a: 'q,
    {
        FunctionQuery { file: &source.name, function, values, assumptions: self.assumptions(source) }
    }

    /// Predicts all functions with loops, and prints them by time, the longest first; functions that cannot be predicted come last.
    fn list(&self, source: &SourceFile) -> Result<Exit, Failure> {
        let with_loops: Vec<&Function> = source.functions.iter().filter(|it| has_loops(it)).collect();
        let all: Vec<(&Function, Values)> =
            with_loops.into_iter().map(|function| (function, values(function, &self.defines))).collect();
        let mut rows: Vec<(FunctionQuery<'_>, FunctionOutcome)> = all
            .iter()
            .map(|(function, values)| {
                let query = self.query(source, function, values);
                (query, outcome(query))
            })
            .collect();
        let seconds = |outcome: &FunctionOutcome| match outcome {
            FunctionOutcome::Analysed(analysed) => analysed.prediction.seconds,
            _ => -1.0,
        };
        rows.sort_by(|a, b| seconds(&b.1).total_cmp(&seconds(&a.1)));
        let without_loops = source.functions.len() - rows.len();
        let findings = findings_of_all(&rows)?;
        if self.args.json {
            return screen::json(&ListAnswer::new(&source.name, &rows, without_loops, findings));
        }
        screen::document(&report::list(&source.name, &rows, without_loops))?;
        screen::findings(&findings, None)
    }

    /// Predicts the time for values of a parameter between two bounds.
    fn sweep(&self, source: &SourceFile, (name, first, last): &(String, i64, i64)) -> Result<Exit, Failure> {
        let (function, values) = self.chosen(source, &[name])?;
        let Some(parameter) = function.symbols.find_parameter(name) else {
            return Err(Failure::usage(format!("{} has no parameter {name}", function.name)));
        };
        let query = self.query(source, function, &values);
        let swept = sweep(function, &values, (parameter, *first, *last), query.assumptions);
        let (points, regimes) = swept.map_err(|error| unknown_time(function, &error))?;
        self.picture(query, name, &points, &regimes)?;
        if self.args.json {
            return screen::json(&SweepAnswer::new(query, name, &points, &regimes));
        }
        screen::document(&report::sweep(query, name, &points, &regimes))
    }

    /// Predicts the time for every tile size. Tile sizes are the parameters that are steps of loops.
    fn tiles(&self, source: &SourceFile) -> Result<Exit, Failure> {
        let function = source.function(self.args.function.as_deref())?;
        let parameters = tile_parameters(function);
        if parameters.is_empty() {
            return Err(Failure::usage(format!(
                "no loop of {} has a named step; write the tile size as a macro or a parameter: `i += TILE`",
                function.name
            )));
        }
        let names: Vec<String> =
            parameters.iter().map(|parameter| function.symbols.name(*parameter).to_owned()).collect();
        names.iter().try_for_each(|name| self.refuse_compiled(name))?;
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let (function, values) = self.chosen(source, &known)?;
        let query = self.query(source, function, &values);
        let ranked = tiles(function, &values, (&parameters, TILES), query.assumptions);
        let points = ranked.map_err(|error| unknown_time(function, &error))?;
        let label = names.join(", ");
        self.picture(query, &label, &points, &[])?;
        if self.args.json {
            return screen::json(&TileAnswer::new(query, names, &points));
        }
        screen::document(&report::tiles(query, &label, &points))
    }

    /// Predicts two functions, and prints which one is faster, and both predictions.
    fn compare(&self, source: &SourceFile, second: &SourceFile) -> Result<Exit, Failure> {
        let (function, values) = self.chosen(source, &[])?;
        let (other, other_values) = self.chosen(second, &[])?;
        let (a, b) = (self.query(source, function, &values), self.query(second, other, &other_values));
        let ((first, first_findings), (second, second_findings)) =
            (time_and_findings(a)?, time_and_findings(b)?);
        let comparison = compare(&first.prediction, &second.prediction);
        if self.args.json {
            let complete = first.is_complete() && second.is_complete();
            let first = FunctionAnswer::new(a, &first, first_findings);
            let second = FunctionAnswer::new(b, &second, second_findings);
            return screen::json(&CompareAnswer::new(first, second, &comparison, complete));
        }
        let both = [(a, &first), (b, &second)];
        let incomplete: Vec<FunctionQuery<'_>> = both
            .into_iter()
            .filter(|(_, analysed)| !analysed.is_complete())
            .map(|(query, _)| query)
            .collect();
        screen::document(&report::compare(a, b, &comparison, &incomplete))?;
        screen::document(&report::function(a, &first))?;
        screen::document(&report::function(b, &second))
    }

    fn picture(
        &self,
        query: FunctionQuery<'_>,
        name: &str,
        points: &[SweepPoint],
        regimes: &[Regime],
    ) -> Result<(), Failure> {
        match self.args.svg.as_deref() {
            None => Ok(()),
            Some(path) => write(path, report::picture(query, name, points, regimes).as_str()),
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    FileSink::new(path).put(text.as_bytes()).map_err(|error| Failure::new(Exit::Missing, &error))
}

fn outcome(query: FunctionQuery<'_>) -> FunctionOutcome {
    let open = missing_parameters(query.function, query.values);
    if !open.is_empty() {
        return FunctionOutcome::Missing(open);
    }
    match analyse(query.function, query.values, query.assumptions) {
        Ok(analysed) => FunctionOutcome::Analysed(analysed),
        Err(error) => FunctionOutcome::Problem(error.to_string()),
    }
}

/// The predicted time of a function, and findings about it.
fn time_and_findings(query: FunctionQuery<'_>) -> Result<(FunctionAnalysis, Vec<Finding>), Failure> {
    let analysed = analyse(query.function, query.values, query.assumptions)
        .map_err(|error| unknown_time(query.function, &error))?;
    let found = findings_of(query, &analysed, &Settings::load()?.thresholds());
    Ok((analysed, found))
}

fn findings_of(
    query: FunctionQuery<'_>,
    analysed: &FunctionAnalysis,
    thresholds: &Thresholds,
) -> Vec<Finding> {
    findings(&PredictedNest {
        file: query.file,
        instance: &Instance::new(query.function, query.values),
        prediction: &analysed.prediction,
        assumptions: query.assumptions,
        thresholds,
    })
}

/// The findings of all functions that could be analysed, by rank.
fn findings_of_all(rows: &[(FunctionQuery<'_>, FunctionOutcome)]) -> Result<Vec<Finding>, Failure> {
    let thresholds = Settings::load()?.thresholds();
    let of_row = |(query, outcome): &(FunctionQuery<'_>, FunctionOutcome)| match outcome {
        FunctionOutcome::Analysed(analysed) => findings_of(*query, analysed, &thresholds),
        _ => Vec::new(),
    };
    let mut all: Vec<Finding> = rows.iter().flat_map(of_row).collect();
    finding::sort(&mut all);
    Ok(all)
}

fn unknown_time(function: &Function, error: &dyn std::error::Error) -> Failure {
    let message = format!("the time of {} is not known: {error}", function.name);
    Failure { exit: Exit::Unreadable, message }
}
