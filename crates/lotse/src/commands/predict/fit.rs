//! `lotse predict fit`: a model of measured times, and what is wrong with it.

use lotse_host::FileSource;
use lotse_model::bytes::Source as _;
use lotse_predict::fit::answer::{analytic_model, power_model};
use lotse_predict::fit::table::MeasurementTable;

use crate::args::predict::{FitArgs, ModelArg};
use crate::exit::{Exit, Failure};
use crate::screen;
use crate::settings::Settings;

/// Fits a model to a table of measurements, and prints it with findings about how well it fits.
pub(super) fn run(args: &FitArgs) -> Result<Exit, Failure> {
    let name = args.data.display().to_string();
    let source = FileSource::open(&args.data).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let unreadable = |error: &dyn std::error::Error| Failure {
        exit: Exit::Unreadable,
        message: format!("{name}: {error}"),
    };
    let table = MeasurementTable::parse(&String::from_utf8_lossy(source.bytes()))
        .map_err(|error| unreadable(&error))?;
    let thresholds = Settings::load()?.thresholds();
    let answer = match args.model {
        ModelArg::Power => power_model(&name, &table, args.capacity as f64, &thresholds),
        ModelArg::Analytic => analytic_model(&name, &table, &thresholds),
    };
    let answer = answer.map_err(|error| unreadable(&error))?;
    if args.json {
        return screen::json(&answer);
    }
    screen::document(&answer.document())?;
    screen::findings(answer.findings(), None)
}
