//! Matrices: rows, columns, products, cubes.

use lotse_predict::question::Language;

use crate::Nest;

pub(crate) const NESTS: &[Nest] = &[
    // Rows of 800 bytes, one after another: all 80000 bytes once.
    Nest {
        name: "sum of rows",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    for (int j = 0; j < 100; j++)
                        y[i] += a[i][j];
            }",
        values: &[],
        bytes: &[8.0 * (10000.0 + 100.0), 8.0 * (100.0 + 1.0)],
        lines: (1262.5, 3.0),
        iterations: &[100.0, 10000.0],
        misses: [1262.5, 1262.5],
        tolerance: 0.02,
    },
    // A column is on 100 lines, more than 64: every access misses the first cache. In the second cache the 100
    // lines of a column stay for the next seven columns.
    Nest {
        name: "sum of columns by columns",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int j = 0; j < 100; j++)
                    for (int i = 0; i < 100; i++)
                        y[j] += a[i][j];
            }",
        values: &[],
        bytes: &[8.0 * (10000.0 + 100.0), 8.0 * (100.0 + 1.0)],
        lines: (1262.5, 3.0),
        iterations: &[100.0, 10000.0],
        misses: [10012.5, 1262.5],
        tolerance: 0.04,
    },
    // a is read once, 1250 lines; every access to b misses the first cache.
    Nest {
        name: "transposition",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    for (int j = 0; j < 100; j++)
                        b[j][i] = a[i][j];
            }",
        values: &[],
        bytes: &[2.0 * 8.0 * 10000.0, 2.0 * 8.0 * 100.0],
        lines: (2500.0, 4.0),
        iterations: &[100.0, 10000.0],
        misses: [11250.0, 2500.0],
        tolerance: 0.04,
    },
    // x is 12.5 lines and survives a row of a: 1250 + 12.5 + 12.5.
    Nest {
        name: "matrix times vector",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    for (int j = 0; j < 100; j++)
                        y[i] += a[i][j] * x[j];
            }",
        values: &[],
        bytes: &[8.0 * (10000.0 + 200.0), 8.0 * (100.0 + 100.0 + 1.0)],
        lines: (1275.0, 4.0),
        iterations: &[100.0, 10000.0],
        misses: [1275.0, 1275.0],
        tolerance: 0.04,
    },
    // b is 80000 bytes and fits neither cache: 100 times 1250 lines. Rows of a and c are fetched once.
    Nest {
        name: "product by rows",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    for (int k = 0; k < 100; k++)
                        for (int j = 0; j < 100; j++)
                            c[i][j] += a[i][k] * b[k][j];
            }",
        values: &[],
        bytes: &[3.0 * 8.0 * 10000.0, 8.0 * (100.0 + 100.0 + 10000.0), 8.0 * (100.0 + 100.0 + 1.0)],
        lines: (3750.0, 5.0),
        iterations: &[100.0, 10000.0, 1000000.0],
        misses: [127500.0, 127500.0],
        tolerance: 0.04,
    },
    // A column of b is on 100 lines: each access misses the first cache, and evicts the row of a, 12.5 lines and a part of one,
    // every time.
    // In the second cache columns share lines, and b is fetched once for each row of c.
    Nest {
        name: "product by sums",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    for (int j = 0; j < 100; j++)
                        for (int k = 0; k < 100; k++)
                            c[i][j] += a[i][k] * b[k][j];
            }",
        values: &[],
        bytes: &[3.0 * 8.0 * 10000.0, 8.0 * (100.0 + 100.0 + 10000.0), 8.0 * (1.0 + 100.0 + 100.0)],
        lines: (3750.0, 5.0),
        iterations: &[100.0, 10000.0, 1000000.0],
        misses: [1130000.0, 127500.0],
        tolerance: 0.04,
    },
    // As matrix times vector: 1250 lines of a, 12.5 of x, 12.5 of y.
    Nest {
        name: "outer product",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    for (int j = 0; j < 100; j++)
                        a[i][j] += x[i] * y[j];
            }",
        values: &[],
        bytes: &[8.0 * (10000.0 + 200.0), 8.0 * (100.0 + 100.0 + 1.0)],
        lines: (1275.0, 4.0),
        iterations: &[100.0, 10000.0],
        misses: [1275.0, 1275.0],
        tolerance: 0.04,
    },
    // The corners and the ends of the first and last row are not accessed. Three rows of a (37.5 lines) and one of b (12.3) fit the
    // first cache: everything is fetched once.
    Nest {
        name: "five points",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 1; i < 99; i++)
                    for (int j = 1; j < 99; j++)
                        b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
            }",
        values: &[],
        bytes: &[8.0 * (100.0 * 100.0 - 4.0 + 98.0 * 98.0), 8.0 * (98.0 + 100.0 + 98.0 + 98.0)],
        lines: (2475.0, 30.0),
        iterations: &[98.0, 9604.0],
        misses: [2475.0, 2475.0],
        tolerance: 0.05,
    },
    // 800 bytes apart: one line for each element.
    Nest {
        name: "a column",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    a[i][7] = 0;
            }",
        values: &[],
        bytes: &[8.0 * 100.0],
        lines: (100.0, 0.5),
        iterations: &[100.0],
        misses: [100.0, 100.0],
        tolerance: 0.01,
    },
    // 808 bytes apart.
    Nest {
        name: "the diagonal",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    a[i][i] = 1;
            }",
        values: &[],
        bytes: &[8.0 * 100.0],
        lines: (100.0, 0.5),
        iterations: &[100.0],
        misses: [100.0, 100.0],
        tolerance: 0.01,
    },
    // 400 bytes between them, so each has its own line.
    Nest {
        name: "two columns",
        language: Language::C,
        source: r"
            double a[100][100], b[100][100], c[100][100], x[100], y[100];
            void f(void) {
                for (int i = 0; i < 100; i++)
                    a[i][0] = a[i][50];
            }",
        values: &[],
        bytes: &[2.0 * 8.0 * 100.0],
        lines: (200.0, 0.5),
        iterations: &[100.0],
        misses: [200.0, 200.0],
        tolerance: 0.01,
    },
    // The same as rows of a matrix.
    Nest {
        name: "a flattened matrix",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, double *restrict y) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        y[i] += a[i * n + j];
            }",
        values: &[("n", 100)],
        bytes: &[8.0 * (10000.0 + 100.0), 8.0 * (100.0 + 1.0)],
        lines: (1262.5, 3.0),
        iterations: &[100.0, 10000.0],
        misses: [1262.5, 1262.5],
        tolerance: 0.02,
    },
    // 64000 bytes in order.
    Nest {
        name: "a cube by its last index",
        language: Language::C,
        source: r"
            double a[20][20][20], s;
            void f(void) {
                for (int i = 0; i < 20; i++)
                    for (int j = 0; j < 20; j++)
                        for (int k = 0; k < 20; k++)
                            s += a[i][j][k];
            }",
        values: &[],
        bytes: &[8.0 * 8000.0, 8.0 * 400.0, 8.0 * 20.0],
        lines: (1000.0, 1.0),
        iterations: &[20.0, 400.0, 8000.0],
        misses: [1000.0, 1000.0],
        tolerance: 0.02,
    },
    // For one k all 400 lines in between are accessed: more than the cache has, so every access misses the first cache.
    Nest {
        name: "a cube by its first index",
        language: Language::C,
        source: r"
            double a[20][20][20], s;
            void f(void) {
                for (int k = 0; k < 20; k++)
                    for (int j = 0; j < 20; j++)
                        for (int i = 0; i < 20; i++)
                            s += a[i][j][k];
            }",
        values: &[],
        bytes: &[8.0 * 8000.0, 8.0 * 400.0, 8.0 * 20.0],
        lines: (1000.0, 1.0),
        iterations: &[20.0, 400.0, 8000.0],
        misses: [8000.0, 1000.0],
        tolerance: 0.05,
    },
];
