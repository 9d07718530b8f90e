# Remakes golden_r.json from the data sets in data.txt, which make.py writes.
# Needs R 4.2 or later, base packages only; run in this folder.

lines <- strsplit(readLines("data.txt"), " ")
data <- setNames(lapply(lines, function(line) as.numeric(line[-1])), vapply(lines, `[`, "", 1))
number <- function(x) sprintf("%.17g", x)
array <- function(x) if (length(x) == 1) number(x) else paste0("[", paste(number(x), collapse = ", "), "]")

cases <- character()
# Evaluates a call that gives a named list, over the named data sets as x, y and z.
case <- function(what, names, call) {
  scope <- setNames(data[names], c("x", "y", "z")[seq_along(names)])
  values <- eval(parse(text = call), scope)
  expected <- paste0('"', base::names(values), '": ', vapply(values, array, ""), collapse = ", ")
  quoted <- paste0('"', names, '"', collapse = ", ")
  cases <<- c(cases, sprintf('{"what": "%s", "data": [%s], "args": {}, "call": "%s", "tolerance": 1e-9, "expected": {%s}}',
    what, quoted, gsub('"', "'", call), expected))
}

for (name in c("drifting", "normal_200", "ties_long_a", "small_b")) {
  case("autocorrelation", name, "list(lags = acf(x, lag.max = 3, plot = FALSE)$acf[2:4])")
  case("mann_kendall", name, paste("with(cor.test(seq_along(x), x, method = 'kendall', exact = FALSE,",
    "continuity = TRUE), list(p = p.value))"))
}
case("boxplot_quantiles", "cauchy_150", "list(seven = quantile(x, c(0.25, 0.5, 0.75), type = 7))")
figures <- "list(coefficients = unname(coef(m)), errors = unname(coef(summary(m))[, 2]), r_squared = summary(m)$r.squared, sigma = summary(m)$sigma)"
case("regression", c("normal_200", "shifted_200", "lognormal_200"), sprintf("{m <- lm(z ~ x + y); %s}", figures))
case("regression_weighted", c("normal_200", "shifted_200", "lognormal_200"), sprintf("{m <- lm(y ~ x, weights = z); %s}", figures))
case("regression_origin", c("pairs_a", "pairs_b"), sprintf("{m <- lm(y ~ x - 1); %s}", figures))
case("nested_unbalanced", "ties_long_a", paste(
  "{g <- factor(rep(1:6, c(3, 9, 7, 5, 10, 6))); m <- anova(lm(x ~ g))[, 3]; n <- table(g);",
  "k <- (sum(n) - sum(n^2) / sum(n)) / (length(n) - 1);",
  "list(variances = c((m[1] - m[2]) / k, m[2]), mean = mean(tapply(x, g, mean)))}"))
writeLines(c('{"cases": [', paste(cases, collapse = ",\n"), "]}"), "golden_r.json")
