//! Runs hyperfine 2 and reads its export.

use std::fs;
use std::path::Path;

use lotse_host::End;
use serde_json::Value;

use crate::error::Error;
use crate::workshop::{Finished, Workshop};

const TOOL: &str = "hyperfine";

/// hyperfine, where there is one.
#[derive(Debug)]
pub struct Hyperfine {
    path: String,
    /// The output of `hyperfine --version`.
    pub version: String,
}

/// An export and the run that made it.
#[derive(Debug)]
pub struct Export {
    json: Value,
    /// The run of hyperfine itself.
    pub finished: Finished,
}

impl Hyperfine {
    /// hyperfine at a path, else on `PATH`; `None` if it cannot be started.
    pub fn find(path: Option<&Path>, workshop: &mut Workshop) -> Result<Option<Self>, Error> {
        let path = path.map_or_else(|| TOOL.to_owned(), |path| path.display().to_string());
        match workshop.run(TOOL, &[path.clone(), "--version".to_owned()], &[0]) {
            Ok(output) => Ok(Some(Self { path, version: output.stdout.trim().to_owned() })),
            Err(Error::Tool { end: End::NotStarted(_), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Runs each command `runs` times, one command after the other, without a shell.
    pub fn run(&self, workshop: &mut Workshop, runs: u32, commands: &[String]) -> Result<Export, Error> {
        let path = workshop.path("hyperfine.json");
        let options = [&self.path, "-N", "--style", "none", "--runs", &runs.to_string(), "--export-json"];
        let mut argv: Vec<String> = options.iter().map(|&word| word.to_owned()).collect();
        argv.push(path.display().to_string());
        argv.extend_from_slice(commands);
        let finished = workshop.run(TOOL, &argv, &[0])?;
        let json = read(&path)?;
        Ok(Export { json, finished })
    }
}

impl Export {
    /// The values of one metric (hyperfine's name for it) for each command.
    pub fn samples(&self, metric: &str) -> Result<Vec<Vec<f64>>, Error> {
        samples(&self.json, metric)
    }
}

/// hyperfine's name for a metric of Lotse, where it has one.
pub fn metric_named(lotse: &str) -> Option<&'static str> {
    match lotse {
        "wall" => Some("time_wall_clock"),
        "cpu" => Some("time_cpu"),
        "user" => Some("time_user"),
        "system" => Some("time_system"),
        "peak_memory" => Some("memory_peak_resident"),
        _ => None,
    }
}

fn read(path: &Path) -> Result<Value, Error> {
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    serde_json::from_str(&text).map_err(|source| Error::Json { tool: TOOL, source })
}

fn samples(json: &Value, metric: &str) -> Result<Vec<Vec<f64>>, Error> {
    let lacks = |what: &str| Error::Answer { tool: TOOL, what: what.to_owned() };
    let results = json["results"].as_array().ok_or_else(|| lacks("`results`"))?;
    let of_command = |result: &Value| {
        let runs = result["measurements"].as_array();
        let runs = runs.ok_or_else(|| lacks("`measurements` (version 2 is needed)"))?;
        let value = |run: &Value| run[metric]["value"].as_f64().ok_or_else(|| lacks(metric));
        runs.iter().map(value).collect()
    };
    results.iter().map(of_command).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::samples;

    #[test]
    fn values_of_each_command_in_order() {
        let run = |wall: f64, cpu: f64| json!({"time_wall_clock": {"value": wall, "unit": "second"}, "time_cpu": {"value": cpu}});
        let json = json!({"schema_version": 2, "results": [
            {"command": "a", "measurements": [run(0.5, 0.25), run(0.75, 0.5)]},
            {"command": "b", "measurements": [run(1.0, 1.0)]},
        ]});
        assert_eq!(samples(&json, "time_wall_clock").unwrap(), [vec![0.5, 0.75], vec![1.0]]);
        assert_eq!(samples(&json, "time_cpu").unwrap(), [vec![0.25, 0.5], vec![1.0]]);
        let error = samples(&json, "time_user").unwrap_err();
        assert_eq!(error.to_string(), "the answer of hyperfine has no time_user");
    }

    #[test]
    fn version_1_is_refused_by_name() {
        let json = json!({"results": [{"command": "a", "times": [0.5]}]});
        let error = samples(&json, "time_wall_clock").unwrap_err().to_string();
        assert_eq!(error, "the answer of hyperfine has no `measurements` (version 2 is needed)");
        assert!(samples(&json!({}), "time_wall_clock").is_err());
    }
}
