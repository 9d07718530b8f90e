"""Remakes golden.json: expected values by scipy, numpy and others, each beside the call that made it.

Needs Python 3.11 with scipy 1.17.1, numpy and diptest; run in this folder.
Values of R are in golden_r.json, made by make.R from the data sets this writes to data.txt.
"""
import json
import warnings

import diptest
import numpy as np
from scipy import special, stats

warnings.simplefilter("ignore")


def datasets():
    """Small, tied, large, skewed, heavy-tailed, drifting and bimodal samples."""
    rng = np.random.default_rng(20_240_601)
    drifting = 50 + 0.02 * np.arange(120) + rng.normal(size=120)
    heaps = np.where(rng.random(150) < 0.4, 10.0, 14.0) + rng.normal(size=150)
    sets = {
        "small_a": [12.1, 11.4, 13.7, 12.9, 11.9, 14.2, 12.5],
        "small_b": [13.3, 12.8, 14.6, 15.1, 12.2, 14.9, 13.05, 16.4],
        "pairs_a": [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
        "pairs_b": [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29],
        "ties_a": [3, 1, 2, 2, 5, 4, 4, 4, 3, 2, 6, 1],
        "ties_b": [4, 4, 5, 3, 6, 6, 7, 5, 4, 2, 8, 5],
        "ties_long_a": rng.integers(1, 12, 40).tolist(),
        "ties_long_b": rng.integers(2, 13, 40).tolist(),
        "normal_200": rng.normal(100, 5, 200).tolist(),
        "shifted_200": rng.normal(101, 6, 200).tolist(),
        "lognormal_200": rng.lognormal(0.5, 0.8, 200).tolist(),
        "cauchy_150": (20 + stats.t.rvs(1.5, size=150, random_state=rng)).tolist(),
        "offset": (1e9 + rng.normal(size=60)).tolist(),
        "drifting": drifting.tolist(),
        "heaps": heaps.tolist(),
        "uniform_31": rng.random(31).tolist(),
    }
    return {name: [float(x) for x in values] for name, values in sets.items()}


DATA = datasets()
CASES = []


def case(what, data, call, tolerance=1e-9, **more):
    """Evaluates `call`, an expression giving a dict of named numbers, over the named data sets."""
    names = [data] if isinstance(data, str) else list(data)
    scope = {name: np.array(DATA[name]) for name in names}
    scope.update(zip("xyzw", list(scope.values())))
    scope.update(np=np, stats=stats, special=special, diptest=diptest, more=more, **EXTRA)
    expected = {key: np.asarray(value, float).tolist() for key, value in eval(call, scope).items()}
    CASES.append(
        {"what": what, "data": names, "args": more, "call": call, "tolerance": tolerance, "expected": expected}
    )


def walsh(x):
    i, j = np.triu_indices(len(x))
    return (x[i] + x[j]) / 2


def fieller(x, y, covariance, df):
    """Textbook quadratic: (mx - r my)^2 <= t^2 (vx - 2 r cov + r^2 vy)."""
    vx, vy = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    mx, my = x.mean(), y.mean()
    ratio = mx / my
    if df is None:
        df = (vx + ratio**2 * vy) ** 2 / (vx**2 / (len(x) - 1) + (ratio**2 * vy) ** 2 / (len(y) - 1))
    t2 = stats.t.ppf(0.975, df) ** 2
    low, high = sorted(np.roots([my**2 - t2 * vy, -2 * (mx * my - t2 * covariance), mx**2 - t2 * vx]).real)
    return {"ratio": ratio, "df": df, "low": low, "high": high}


def nested_anova(counts, values):
    """Balanced three-level T² by mean squares (values shaped tops x middles x bottoms)."""
    a, b, n = counts
    v = np.asarray(values).reshape(a, b, n)
    ms_top = b * n * v.mean(axis=(1, 2)).var(ddof=1)
    ms_mid = n * v.mean(axis=2).var(axis=1, ddof=1).mean()
    ms_low = v.var(axis=2, ddof=1).mean()
    top = v.mean(axis=(1, 2))
    low, high = stats.t.interval(0.95, a - 1, top.mean(), stats.sem(top))
    return {
        "variances": [(ms_top - ms_mid) / (b * n), (ms_mid - ms_low) / n, ms_low],
        "mean": top.mean(), "low": low, "high": high,
    }


def bca(sample, statistic, distribution):
    """scipy's own BCa arithmetic over a given bootstrap distribution."""
    res = stats.bootstrap(
        (sample,), statistic, n_resamples=0, method="BCa",
        bootstrap_result=stats._resampling.BootstrapResult(None, distribution, None),
    )
    return {"low": res.confidence_interval.low, "high": res.confidence_interval.high}


EXTRA = {"walsh": walsh, "fieller": fieller, "nested_anova": nested_anova, "bca": bca}


def describe():
    for name in DATA:
        case("descriptive", name, """{
            "mean": np.mean(x), "population_variance": np.var(x), "sample_variance": np.var(x, ddof=1),
            "sample_sd": np.std(x, ddof=1), "standard_error": stats.sem(x), "median": np.median(x),
            "mad": stats.median_abs_deviation(x), "trimmed_mean": stats.trim_mean(x, 0.1),
            "hodges_lehmann": np.median(walsh(x)), "relative_sd": stats.variation(x, ddof=1)}""",
            tolerance=1e-7 if name == "offset" else 1e-9)
        case("quantiles", name, """{
            "six": np.quantile(x, [0.03, 0.25, 0.5, 0.9], method="weibull"),
            "seven": np.quantile(x, [0.03, 0.25, 0.5, 0.9]),
            "eight": np.quantile(x, [0.03, 0.25, 0.5, 0.9], method="median_unbiased")}""")
        for bins in ["fd", "sturges", "auto"]:
            case("histogram", name, """{"counts": np.histogram(x, bins=more["bins"])[0],
                "edges": np.histogram(x, bins=more["bins"])[1]}""", bins=bins)
        case("mean_interval", name, """dict(zip(["low", "high"],
            stats.t.interval(0.99, len(x) - 1, np.mean(x), stats.sem(x))))""")
    for name in ["small_a", "ties_a", "normal_200", "lognormal_200"]:
        case("geometric", name, """{"mean": stats.gmean(x), "sd": np.exp(np.std(np.log(x)))}""")


PAIRS = [("small_a", "small_b"), ("pairs_a", "pairs_b"), ("ties_a", "ties_b"), ("ties_long_a", "ties_long_b"),
         ("normal_200", "shifted_200"), ("lognormal_200", "normal_200"), ("cauchy_150", "small_a"),
         ("uniform_31", "pairs_b"), ("cauchy_150", "lognormal_200")]


def compare():
    interval = """"low": r.confidence_interval().low, "high": r.confidence_interval().high"""
    for pair in PAIRS:
        for what, equal in [("welch", False), ("student", True)]:
            case(what, pair, f"""(lambda r: {{"t": r.statistic, "df": r.df, "p": r.pvalue, {interval}}})(
                stats.ttest_ind(x, y, equal_var={equal}))""")
        case("mann_whitney", pair, """(lambda r: {"statistic": r.statistic, "p": r.pvalue})(
            stats.mannwhitneyu(x, y))""")
        case("kolmogorov_smirnov", pair, """(lambda r: {"statistic": r.statistic, "p": r.pvalue})(
            stats.ks_2samp(x, y, method="exact"))""", tolerance=1e-8)
        case("anderson_darling", pair, """(lambda r: {"statistic": r.statistic, "p": r.pvalue})(
            stats.anderson_ksamp([x, y], variant="midrank"))""")
        case("shift", pair, """{"shift": np.median(np.subtract.outer(x, y))}""")
    case("anderson_darling", ["normal_200", "shifted_200", "lognormal_200"],
         """(lambda r: {"statistic": r.statistic, "p": r.pvalue})(
            stats.anderson_ksamp([x, y, z], variant="midrank"))""")
    case("anderson_darling", ["ties_a", "ties_long_a", "ties_long_b"],
         """(lambda r: {"statistic": r.statistic, "p": r.pvalue})(
            stats.anderson_ksamp([x, y, z], variant="midrank"))""")
    case("kolmogorov_limit", "uniform_31", """{"sf": special.kolmogorov([0.2, 0.5, 0.9, 1.0, 1.36, 2.5])}""")


def compare_pairs():
    interval = """"low": r.confidence_interval().low, "high": r.confidence_interval().high"""
    pairs = [p for p in PAIRS if len(DATA[p[0]]) == len(DATA[p[1]])]
    for pair in pairs:
        case("paired_t", pair, f"""(lambda r: {{"t": r.statistic, "df": r.df, "p": r.pvalue, {interval}}})(
            stats.ttest_rel(x, y))""")
        case("signed_rank", pair, """(lambda r: {"statistic": r.statistic, "p": r.pvalue})(
            stats.wilcoxon(x, y))""")
        case("signed_rank_continuity", pair, """(lambda r: {"statistic": r.statistic, "p": r.pvalue})(
            stats.wilcoxon(x, y, correction=True, method="asymptotic"))""")
        case("fieller_paired", pair, """fieller(x, y, np.cov(x, y)[0, 1] / len(x), len(x) - 1)""")
    for pair in [("small_a", "small_b"), ("normal_200", "shifted_200"), ("ties_a", "ties_long_a")]:
        case("fieller", pair, """fieller(x, y, 0.0, None)""")


def resample():
    rng = np.random.default_rng(7)
    for name, how in [("small_a", "mean"), ("lognormal_200", "mean"), ("lognormal_200", "median"), ("cauchy_150", "mean")]:
        statistic = getattr(np, how)
        sample = np.array(DATA[name])
        drawn = [float(statistic(rng.choice(sample, len(sample)))) for _ in range(499)]
        case("bca", name, """bca(x, getattr(np, more["statistic"]), np.array(more["distribution"]))""",
             statistic=how, distribution=drawn)


def others():
    for name in ["normal_200", "lognormal_200", "heaps", "uniform_31", "cauchy_150", "drifting"]:
        case("dip", name, """{"dip": diptest.dipstat(x)}""")
    for name in ["drifting", "normal_200", "ties_a", "small_b"]:
        case("theil_sen", name, """{"slope": stats.theilslopes(x).slope}""")
    case("nested", "drifting", """nested_anova(more["counts"], x)""", counts=[5, 4, 6])
    case("nested", "normal_200", """nested_anova(more["counts"], x)""", counts=[10, 4, 5])
    case("t_from_figures", "small_a", """(lambda r: {"t": r.statistic, "p": r.pvalue})(
        stats.ttest_ind_from_stats(122, 37, 30, 110, 39, 30, equal_var=False))""")
    case("distributions", "small_a", """{
        "normal_sf": stats.norm.sf([-3.0, 0.1, 1.0, 2.5, 6.0, 12.0]),
        "normal_quantile": stats.norm.ppf([1e-10, 0.01, 0.5001, 0.975, 0.9999]),
        "t_two_sided": 2 * stats.t.sf([0.1, 1.0, 2.0, 5.0, 20.0, 2.0], [1, 2.5, 10, 58, 500, 1e4]),
        "t_quantile": stats.t.ppf([0.975, 0.0005, 0.6, 0.9995, 0.025], [1, 2.5, 58, 500, 1e4])}""")


if __name__ == "__main__":
    describe()
    compare()
    compare_pairs()
    resample()
    others()
    with open("golden.json", "w") as out:
        out.write('{"data": {\n')
        out.write(",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in DATA.items()))
        out.write('},\n"cases": [\n' + ",\n".join(json.dumps(c, allow_nan=False) for c in CASES) + "]}\n")
    with open("data.txt", "w") as out:
        out.writelines(f"{name} {' '.join(map(repr, values))}\n" for name, values in DATA.items())
