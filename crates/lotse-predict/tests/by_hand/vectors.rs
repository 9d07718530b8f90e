//! Vectors: strides, accesses of one class, vectors that are used again.

use lotse_predict::question::Language;

use crate::Nest;

pub(crate) const NESTS: &[Nest] = &[
    // 8000 contiguous bytes are 125 lines; each is touched once.
    Nest {
        name: "set to zero",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    a[i] = 0;
            }",
        values: &[("n", 1000)],
        bytes: &[8.0 * 1000.0],
        lines: (125.0, 1.0),
        iterations: &[1000.0],
        misses: [125.0, 125.0],
        tolerance: 0.02,
    },
    // Two arrays of 3200 bytes: 50 lines each.
    Nest {
        name: "copy of floats",
        language: Language::C,
        source: r"
            void f(int n, const float *restrict a, float *restrict b) {
                for (int i = 0; i < n; i++)
                    b[i] = a[i];
            }",
        values: &[("n", 800)],
        bytes: &[2.0 * 4.0 * 800.0],
        lines: (100.0, 2.0),
        iterations: &[800.0],
        misses: [100.0, 100.0],
        tolerance: 0.03,
    },
    // Elements 64 bytes apart: a line for each of the 200.
    Nest {
        name: "every eighth element",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i += 8)
                    a[i] = 1;
            }",
        values: &[("n", 1600)],
        bytes: &[8.0 * 200.0],
        lines: (200.0, 1.0),
        iterations: &[200.0],
        misses: [200.0, 200.0],
        tolerance: 0.02,
    },
    // Half of the bytes, all of the lines: 12800 / 64.
    Nest {
        name: "every second element",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i += 2)
                    a[i] = 1;
            }",
        values: &[("n", 1600)],
        bytes: &[8.0 * 800.0],
        lines: (200.0, 1.0),
        iterations: &[800.0],
        misses: [200.0, 200.0],
        tolerance: 0.02,
    },
    // The direction changes nothing.
    Nest {
        name: "backwards",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = n - 1; i >= 0; i--)
                    a[i] += 1;
            }",
        values: &[("n", 1000)],
        bytes: &[8.0 * 1000.0],
        lines: (125.0, 1.0),
        iterations: &[1000.0],
        misses: [125.0, 125.0],
        tolerance: 0.02,
    },
    // Three accesses of one class: 1000 + 2 elements of a, 1000 of b.
    Nest {
        name: "three points",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, double *restrict b) {
                for (int i = 1; i < n - 1; i++)
                    b[i] = a[i - 1] + a[i] + a[i + 1];
            }",
        values: &[("n", 1002)],
        bytes: &[8.0 * 1002.0 + 8.0 * 1000.0],
        lines: (250.0, 3.0),
        iterations: &[1000.0],
        misses: [250.0, 250.0],
        tolerance: 0.03,
    },
    // The halves are farther apart than the loop is long: two clusters of 1000 elements.
    Nest {
        name: "two halves",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    a[i] = a[i + 5000];
            }",
        values: &[("n", 1000)],
        bytes: &[2.0 * 8.0 * 1000.0],
        lines: (250.0, 3.0),
        iterations: &[1000.0],
        misses: [250.0, 250.0],
        tolerance: 0.03,
    },
    // 3200 bytes fit 4 KiB: they are fetched once for all ten executions.
    Nest {
        name: "a vector again and again, fits",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int t = 0; t < 10; t++)
                    for (int i = 0; i < n; i++)
                        a[i] += t;
            }",
        values: &[("n", 400)],
        bytes: &[8.0 * 400.0, 8.0 * 400.0],
        lines: (50.0, 1.0),
        iterations: &[10.0, 4000.0],
        misses: [50.0, 50.0],
        tolerance: 0.05,
    },
    // 32000 bytes are 500 lines: too many for the first cache, few enough for the second one.
    Nest {
        name: "a vector again and again, does not fit",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int t = 0; t < 10; t++)
                    for (int i = 0; i < n; i++)
                        a[i] += t;
            }",
        values: &[("n", 4000)],
        bytes: &[8.0 * 4000.0, 8.0 * 4000.0],
        lines: (500.0, 1.0),
        iterations: &[10.0, 40000.0],
        misses: [5000.0, 500.0],
        tolerance: 0.02,
    },
    // x and y are 25 lines each and stay; x[i] is one of x[j].
    Nest {
        name: "every pair",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict x, double *restrict y) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        y[i] += x[i] * x[j];
            }",
        values: &[("n", 200)],
        bytes: &[2.0 * 8.0 * 200.0, 8.0 * 200.0 + 8.0],
        lines: (50.0, 2.0),
        iterations: &[200.0, 40000.0],
        misses: [50.0, 50.0],
        tolerance: 0.06,
    },
    // p[i].x is every third number: 6400 bytes in 300 lines of 64; s has 100 lines.
    Nest {
        name: "structs of three numbers",
        language: Language::C,
        source: r"
            struct v { double x, y, z; };
            void f(int n, const struct v *restrict p, double *restrict s) {
                for (int i = 0; i < n; i++)
                    s[i] = p[i].x;
            }",
        values: &[("n", 800)],
        bytes: &[8.0 * 800.0 + 8.0 * 800.0],
        lines: (400.0, 3.0),
        iterations: &[800.0],
        misses: [400.0, 400.0],
        tolerance: 0.02,
    },
    // i + j takes 199 values.
    Nest {
        name: "sums along anti-diagonals",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        a[i + j] += 1;
            }",
        values: &[("n", 100)],
        bytes: &[8.0 * 199.0, 8.0 * 100.0],
        lines: (25.0, 1.0),
        iterations: &[100.0, 10000.0],
        misses: [25.0, 25.0],
        tolerance: 0.1,
    },
    // 1000 of b, 1015 of a, 16 of w, each fetched once.
    Nest {
        name: "a window that slides",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, const double *restrict w, double *restrict b) {
                for (int i = 0; i < n; i++)
                    for (int k = 0; k < 16; k++)
                        b[i] += a[i + k] * w[k];
            }",
        values: &[("n", 1000)],
        bytes: &[8.0 * (1000.0 + 1015.0 + 16.0), 8.0 * (1.0 + 16.0 + 16.0)],
        lines: (254.0, 3.0),
        iterations: &[1000.0, 16000.0],
        misses: [254.0, 254.0],
        tolerance: 0.04,
    },
];
