//! The non-negative model of a table, and findings about its weaknesses.
//!
//! The weaknesses are those of the power model, applied to ratios of measured to fitted times: linearly dependent terms, outliers,
//! ratios that depend systematically on a term, and extrapolation.

use std::collections::BTreeMap;

use lotse_model::finding::Finding;
use lotse_model::rule::Thresholds;
use lotse_stats::StatsError;
use lotse_stats::descriptive::{median, median_absolute_deviation};
use lotse_stats::distribution::{normal_two_sided, t_two_sided};
use lotse_stats::least_squares::{self, DesignMatrix};

use super::answer::{FitError, PredictedRow};
use super::nonnegative::{self, NonNegativeFit};
use super::rules::{EXTRAPOLATION, OUTLIER, PATTERN, RANK, finding_about};
use super::table::MeasurementTable;

/// Number of tests for each term (slope and curvature), for Bonferroni's correction.
const TESTS: f64 = 2.0;

/// The fitted model with the table columns that it was fitted to.
pub(super) struct AnalyticModel {
    pub(super) names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// The columns of rows without a time.
    unmeasured: Vec<Vec<f64>>,
    pub(super) fit: NonNegativeFit,
    /// Number of linearly independent terms.
    pub(super) rank: usize,
    /// Terms that are linear combinations of others.
    aliased: Vec<usize>,
}

impl AnalyticModel {
    pub(super) fn new(table: &MeasurementTable) -> Result<Self, FitError> {
        let time = table.column("time")?;
        let terms = (0..table.names.len()).filter(|index| !table.names[*index].eq_ignore_ascii_case("time"));
        let terms: Vec<usize> = terms.collect();
        let take =
            |columns: &[Vec<f64>]| terms.iter().map(|index| columns[*index].clone()).collect::<Vec<_>>();
        let (columns, unmeasured) = (take(&table.columns), take(&table.unmeasured));
        let fit = nonnegative::fit(&columns, time)?;
        let relative = columns.iter().map(|column| column.iter().zip(time).map(|(x, t)| x / t).collect());
        let free = least_squares::fit(&DesignMatrix::new(relative.collect())?, &vec![1.0; time.len()])?;
        let names = terms.iter().map(|index| table.names[*index].clone()).collect();
        Ok(Self { names, columns, unmeasured, fit, rank: free.rank, aliased: free.aliased })
    }

    pub(super) fn rows(&self) -> usize {
        self.fit.ratios.len()
    }

    pub(super) fn constants(&self) -> BTreeMap<String, f64> {
        self.names.iter().cloned().zip(self.fit.coefficients.iter().copied()).collect()
    }

    /// The fitted times of the rows without a time.
    pub(super) fn predictions(&self, table: &MeasurementTable) -> Vec<PredictedRow> {
        let points = self.unmeasured.first().map_or(0, Vec::len);
        let time = |row: usize| {
            self.unmeasured.iter().zip(&self.fit.coefficients).map(|(column, c)| column[row] * c).sum()
        };
        (0..points)
            .map(|row| PredictedRow { row: table.unmeasured_label(row, &["time"]), time: time(row) })
            .collect()
    }

    pub(super) fn findings(
        &self,
        name: &str,
        table: &MeasurementTable,
        thresholds: &Thresholds,
    ) -> Vec<Finding> {
        let mut all = Vec::new();
        all.extend(self.dependent_terms(name));
        // Without residual degrees of freedom, the residuals show nothing.
        if self.rows() > self.rank + 1 {
            all.extend(self.outliers(name, table, thresholds));
            all.extend(self.patterns(name, thresholds));
        }
        all.extend(self.extrapolations(name, table, thresholds));
        lotse_model::finding::sort(&mut all);
        all
    }

    /// A finding if terms are linearly dependent, or if there are no more rows than constants.
    fn dependent_terms(&self, name: &str) -> Option<Finding> {
        let few = self.rows() <= self.rank;
        if self.aliased.is_empty() && !few {
            return None;
        }
        let names: Vec<&str> = self.aliased.iter().map(|index| self.names[*index].as_str()).collect();
        let text = match names.is_empty() {
            true => format!(
                "{} rows determine {} constants exactly: the fit has no error that could be seen",
                self.rows(),
                self.rank
            ),
            false => format!(
                "the {} terms of the model have rank {}: {} adds nothing to the others, so that its constant is a convention",
                self.names.len(),
                self.rank,
                names.join(" and ")
            ),
        };
        let numbers = vec![("rank", self.rank as f64), ("columns", self.names.len() as f64)];
        Some(finding_about(name, RANK, 1.0, text, numbers))
    }

    /// Logarithms of measured divided by fitted times.
    fn residuals(&self) -> Vec<f64> {
        self.fit.ratios.iter().map(|ratio| -ratio.max(1e-12).ln()).collect()
    }

    /// A finding for each row whose residual is too far from the median of all residuals. The distance is measured in robust standard
    /// deviations (median absolute deviation), and the p value has Bonferroni's correction for the number of rows.
    fn outliers(&self, name: &str, table: &MeasurementTable, thresholds: &Thresholds) -> Vec<Finding> {
        let residuals = self.residuals();
        let (Ok(middle), Ok(spread)) = (median(&residuals), median_absolute_deviation(&residuals)) else {
            return Vec::new();
        };
        let deviation = (1.4826 * spread).max(1e-6);
        let limit = thresholds.get(OUTLIER, "p");
        let describe = |(row, residual): (usize, &f64)| {
            let p = normal_two_sided((residual - middle) / deviation) * residuals.len() as f64;
            (p <= limit).then(|| {
                let error = 1.0 / residual.exp() - 1.0;
                let label = table.label(row, &["time"]);
                let text = format!(
                    "{label}: the model is off by {:+.2} %; the fit gives this row the weight {:.2}",
                    100.0 * error,
                    self.fit.weights[row]
                );
                finding_about(
                    name,
                    OUTLIER,
                    0.99,
                    text,
                    vec![("residual", error), ("weight", self.fit.weights[row])],
                )
            })
        };
        residuals.iter().enumerate().filter_map(describe).collect()
    }

    /// A finding for each term on which the residuals depend systematically.
    fn patterns(&self, name: &str, thresholds: &Thresholds) -> Vec<Finding> {
        let limit = thresholds.get(PATTERN, "p");
        let tested = self.names.iter().zip(&self.columns).filter_map(|(term, column)| {
            let p = self.trend(column).ok().flatten()?;
            (p <= limit).then(|| {
                let text = format!(
                    "the ratios of measured to fitted times are systematic in {term} (p = {p:.1e}): the sum of terms does \
                     not have the form of the data"
                );
                finding_about(name, PATTERN, 1.0 - p, text, vec![("p", p)])
            })
        });
        tested.collect()
    }

    /// The smaller p value of slope and curvature of the residuals over the logarithm of a term, corrected for two tests.
    fn trend(&self, column: &[f64]) -> Result<Option<f64>, StatsError> {
        let x: Vec<f64> = column.iter().map(|value| value.log10()).collect();
        let middle = x.iter().sum::<f64>() / x.len() as f64;
        let centred: Vec<f64> = x.iter().map(|x| x - middle).collect();
        let square = centred.iter().map(|x| x * x).collect();
        let columns = vec![vec![1.0; x.len()], centred, square];
        let fit = least_squares::fit(&DesignMatrix::new(columns)?, &self.residuals())?;
        let df = fit.residual_df as f64;
        let p = |index: usize| {
            let (value, error) = (fit.coefficients[index]?, fit.standard_errors[index]?);
            (error > 1e-9).then(|| t_two_sided(value / error, df))
        };
        let smaller = [p(1), p(2)].into_iter().flatten().reduce(f64::min);
        Ok(smaller.map(|p| (TESTS * p).min(1.0)))
    }

    /// A finding for each row without a time that has a term too far outside the range of the fitted rows.
    fn extrapolations(&self, name: &str, table: &MeasurementTable, thresholds: &Thresholds) -> Vec<Finding> {
        let limit = thresholds.get(EXTRAPOLATION, "beyond");
        let points = self.unmeasured.first().map_or(0, Vec::len);
        let describe = |row: usize| {
            let outside = |index: usize| {
                let (low, high) = range(&self.columns[index]);
                let value = self.unmeasured[index][row];
                ((value / high).max(low / value), index)
            };
            let terms =
                (0..self.names.len()).filter(|index| self.fit.coefficients[*index] > 0.0).map(outside);
            let (factor, index) =
                terms.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(factor, _)| *factor > limit)?;
            let text = format!(
                "{}: {} is {factor:.1} times beyond the data, where nothing checks the form of the model",
                table.unmeasured_label(row, &["time"]),
                self.names[index]
            );
            Some(finding_about(name, EXTRAPOLATION, 0.9, text, vec![("factor", factor)]))
        };
        (0..points).filter_map(describe).collect()
    }
}

fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(low, high), value| (value.min(low), value.max(high)))
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;

    use super::AnalyticModel;
    use crate::fit::table::MeasurementTable;

    fn rules(text: &str) -> Vec<String> {
        let table = MeasurementTable::parse(text).unwrap();
        let found = AnalyticModel::new(&table).unwrap().findings("t", &table, Thresholds::DEFAULT);
        found.into_iter().map(|finding| format!("{}: {}", finding.rule.id, finding.reason.text)).collect()
    }

    /// Rows of time = 2 a + 3 b with an error of 1 % in both directions.
    fn good() -> String {
        let row = |i: u32| {
            let (a, b) = (f64::from(i * 7 % 11 + 1), f64::from(i * i % 13 + 1));
            let noise = 1.0 + 0.01 * (f64::from(i * 7919 % 13) / 6.5 - 1.0);
            format!("{a},{b},{}\n", (2.0 * a + 3.0 * b) * noise)
        };
        format!("a,b,time\n{}", (0..30).map(row).collect::<String>())
    }

    #[test]
    fn good_data_give_no_findings() {
        assert_eq!(rules(&good()), [""; 0]);
        assert_eq!(rules(&format!("{}5,6,\n", good())), [""; 0]);
    }

    #[test]
    fn every_weakness_is_reported() {
        let outlier = rules(&format!("{}7,7,70\n", good()));
        assert!(outlier[0].starts_with("fit-outlier: a = 7, b = 7: the model is off by -50"), "{outlier:?}");
        let beyond = rules(&format!("{}500,6,\n", good()));
        assert!(beyond[0].starts_with("fit-extrapolation: a = 500, b = 6: a is 45.5 times"), "{beyond:?}");
        let twice: String = good()
            .lines()
            .skip(1)
            .map(|line| format!("{},{line}\n", line.split(',').next().unwrap()))
            .collect();
        let rank = rules(&format!("c,a,b,time\n{twice}"));
        assert!(
            rank[0].starts_with("fit-rank-deficient: the 3 terms of the model have rank 2: a"),
            "{rank:?}"
        );
        let squares: String = (1..30).map(|i| format!("{i},{}\n", i * i + 3)).collect();
        let pattern = rules(&format!("n,time\n{squares}"));
        assert!(
            pattern.iter().any(|it| it.starts_with("fit-residual-pattern") && it.contains("in n")),
            "{pattern:?}"
        );
        let exact = rules("a,b,time\n1,2,8\n2,1,7\n");
        assert_eq!(exact.len(), 1);
        assert!(exact[0].contains("2 rows determine 2 constants exactly"), "{exact:?}");
    }
}
