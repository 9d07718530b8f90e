//! Triangles, tiles, sequences, imperfect nests, conditions and limits.

use lotse_predict::question::Language;

use crate::Nest;

pub(crate) const NESTS: &[Nest] = &[
    // Rows are 12 lines apart, so a column uses 2 of the 8 sets with 16 lines in total. In columns of more than 16 elements every
    // access misses, 4656 - 136; the others share 32 lines, x has 12. In the second cache a column uses 32 of 128 sets, 256 lines
    // for 96. At the middle index 36 the inner loop touches 37 elements.
    Nest {
        name: "upper triangle by columns",
        language: Language::C,
        source: r"
            double a[96][96], x[96];
            void f(void) {
                for (int j = 0; j < 96; j++)
                    for (int i = 0; i <= j; i++)
                        x[j] += a[i][j];
            }",
        values: &[],
        bytes: &[8.0 * 4656.0 + 8.0 * 96.0, 8.0 * (37.0 + 1.0)],
        lines: (640.0, 60.0),
        iterations: &[96.0, 4656.0],
        misses: [4564.0, 640.0],
        tolerance: 0.06,
    },
    // One tile of each matrix has B^2 elements: 3 B^2 * 4 bytes. Rows of 32 bytes are on 1.44 lines on average, so that a tile is
    // on 11.5; all three fit 64 lines. For each of the 144 pairs (it, jt): neighbouring tiles of E share lines, its 8 rows
    // of 96 are in 55 lines; F has 96 rows of 1.44 lines, 138; D one tile. The second cache keeps F.
    Nest {
        name: "tiled product of the paper",
        language: Language::C,
        source: r"
            float D[96][96], E[96][96], F[96][96];
            #define B 8
            #define MIN(p, q) ((p) < (q) ? (p) : (q))
            void f(void) {
                for (int it = 0; it < 96; it += B)
                    for (int jt = 0; jt < 96; jt += B)
                        for (int kt = 0; kt < 96; kt += B)
                            for (int i = it; i < MIN(it + B, 96); i++)
                                for (int j = jt; j < MIN(jt + B, 96); j++)
                                    for (int k = kt; k < MIN(kt + B, 96); k++)
                                        D[i][j] += E[i][k] * F[k][j];
            }",
        values: &[],
        bytes: &[
            3.0 * 4.0 * 9216.0,
            4.0 * (8.0 * 96.0 + 8.0 * 96.0 + 9216.0),
            4.0 * (64.0 + 8.0 * 96.0 + 8.0 * 96.0),
            3.0 * 64.0 * 4.0,
            4.0 * (8.0 + 8.0 + 64.0),
            4.0 * (1.0 + 8.0 + 8.0),
        ],
        lines: (1728.0, 3.0),
        iterations: &[12.0, 144.0, 1728.0, 13824.0, 110592.0, 884736.0],
        misses: [144.0 * (55.0 + 138.0 + 11.5), 1728.0],
        tolerance: 0.1,
    },
    // a has 500 lines: when the second loop begins, they are evicted from the first cache but still in the second one.
    Nest {
        name: "two loops one after the other",
        language: Language::C,
        source: r"
            void f(int n, double *restrict a, double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = 1;
                for (int i = 0; i < n; i++)
                    b[i] = a[i];
            }",
        values: &[("n", 4000)],
        bytes: &[8.0 * 4000.0, 2.0 * 8.0 * 4000.0],
        lines: (500.0, 2.0),
        iterations: &[4000.0, 4000.0],
        misses: [1500.0, 1000.0],
        tolerance: 0.02,
    },
    // 2400 bytes are still in the first cache.
    Nest {
        name: "two loops on data that fit",
        language: Language::C,
        source: r"
            void f(int n, double *restrict a) {
                for (int i = 0; i < n; i++)
                    a[i] = 1;
                for (int i = 0; i < n; i++)
                    a[i] *= 2;
            }",
        values: &[("n", 300)],
        bytes: &[8.0 * 300.0, 8.0 * 300.0],
        lines: (37.5, 1.5),
        iterations: &[300.0, 300.0],
        misses: [37.5, 37.5],
        tolerance: 0.05,
    },
    // The statements around the inner loop touch nothing new.
    Nest {
        name: "an imperfect nest",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, double *restrict m) {
                for (int i = 0; i < n; i++) {
                    m[i] = 0;
                    for (int j = 0; j < n; j++)
                        m[i] += a[i * n + j];
                    m[i] /= n;
                }
            }",
        values: &[("n", 100)],
        bytes: &[8.0 * (10000.0 + 100.0), 8.0 * (100.0 + 1.0)],
        lines: (1262.5, 3.0),
        iterations: &[100.0, 10000.0],
        misses: [1262.5, 1262.5],
        tolerance: 0.02,
    },
    // 25 rows of 800 bytes with gaps between them: 12.5 lines and a part of one each.
    Nest {
        name: "a step of the outer loop",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i += 4)
                    for (int j = 0; j < n; j++)
                        a[i * n + j] = 0;
            }",
        values: &[("n", 100)],
        bytes: &[8.0 * 2500.0, 8.0 * 100.0],
        lines: (337.5, 13.0),
        iterations: &[25.0, 2500.0],
        misses: [337.5, 337.5],
        tolerance: 0.05,
    },
    // 400 of 1000 iterations touch something.
    Nest {
        name: "a condition on the index",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    if (i >= 600)
                        a[i] = 0;
            }",
        values: &[("n", 1000)],
        bytes: &[8.0 * 400.0],
        lines: (50.0, 1.0),
        iterations: &[1000.0],
        misses: [50.0, 50.0],
        tolerance: 0.05,
    },
    // The smaller of both.
    Nest {
        name: "a minimum as the limit",
        language: Language::C,
        source: r"
            #define MIN(p, q) ((p) < (q) ? (p) : (q))
            void f(int n, int m, double *a) {
                for (int i = 0; i < MIN(n, m); i++)
                    a[i] = 0;
            }",
        values: &[("n", 1000), ("m", 320)],
        bytes: &[8.0 * 320.0],
        lines: (40.0, 1.0),
        iterations: &[320.0],
        misses: [40.0, 40.0],
        tolerance: 0.05,
    },
    // The same 100 elements, many times.
    Nest {
        name: "a remainder as the index",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    a[i % 100] += 1;
            }",
        values: &[("n", 1000)],
        bytes: &[8.0 * 100.0],
        lines: (12.5, 1.5),
        iterations: &[1000.0],
        misses: [12.5, 12.5],
        tolerance: 0.2,
    },
    // A block of 400 bytes stays for its 20 executions: each line once.
    Nest {
        name: "blocks of a vector",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int b = 0; b < n; b += 50)
                    for (int t = 0; t < 20; t++)
                        for (int i = b; i < b + 50; i++)
                            a[i] += t;
            }",
        values: &[("n", 4000)],
        bytes: &[8.0 * 4000.0, 8.0 * 50.0, 8.0 * 50.0],
        lines: (500.0, 1.0),
        iterations: &[80.0, 1600.0, 80000.0],
        misses: [500.0, 500.0],
        tolerance: 0.2,
    },
];
