//! Loops that are limited by an execution unit or the front end.

use crate::Timed;

pub(crate) const LOOPS: &[Timed] = &[
    // A division begins every 4 cycles.
    Timed {
        name: "a division of doubles",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] / 3.0;
            }",
        cycles: 4.0,
        limit: "division",
        lanes: 1.0,
    },
    // Two of them.
    Timed {
        name: "two divisions of doubles",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = 1.0 / (b[i] / 3.0 + 1.0);
            }",
        cycles: 8.0,
        limit: "division",
        lanes: 1.0,
    },
    // A division of floats begins every 3 cycles.
    Timed {
        name: "a division of floats",
        source: r"
            void f(int n, float *restrict a, const float *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] / 3.0f;
            }",
        cycles: 3.0,
        limit: "division",
        lanes: 1.0,
    },
    // A square root begins every 6 cycles.
    Timed {
        name: "a square root",
        source: r"
            double sqrt(double);
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = sqrt(b[i]);
            }",
        cycles: 6.0,
        limit: "division",
        lanes: 1.0,
    },
    // A division of integers begins every 6 cycles.
    Timed {
        name: "a division of integers",
        source: r"
            void f(int n, int *restrict a, const int *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] / n;
            }",
        cycles: 6.0,
        limit: "division",
        lanes: 1.0,
    },
    // As a division.
    Timed {
        name: "a remainder of integers",
        source: r"
            void f(int n, int *restrict a, const int *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] % n;
            }",
        cycles: 6.0,
        limit: "division",
        lanes: 1.0,
    },
    // A shift: load, shift, store, count and branch; no unit is busy for longer than the front end.
    Timed {
        name: "an integer divided by a power of two",
        source: r"
            void f(int n, int *restrict a, const int *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = (unsigned)b[i] / 8;
            }",
        cycles: 1.0,
        limit: "front-end",
        lanes: 1.0,
    },
    // The compiler multiplies (1 cycle, in the only unit that can); five instructions take one cycle, too.
    Timed {
        name: "a division of integers by a constant",
        source: r"
            void f(int n, unsigned *restrict a, const unsigned *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] / 10;
            }",
        cycles: 1.0,
        limit: "front-end",
        lanes: 1.0,
    },
    // Four multiplications of one cycle each; count and branch overlap.
    Timed {
        name: "many multiplications of integers",
        source: r"
            void f(int n, int *restrict a, const int *restrict b, const int *restrict c) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] * c[i] * b[i] * c[i] * 7;
            }",
        cycles: 4.0,
        limit: "integer",
        lanes: 1.0,
    },
    // A store begins every cycle.
    Timed {
        name: "two stores",
        source: r"
            void f(int n, double *restrict a, double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] = 1.5;
            }",
        cycles: 2.0,
        limit: "stores",
        lanes: 1.0,
    },
    // Three of them.
    Timed {
        name: "three stores",
        source: r"
            void f(int n, double *restrict a, double *restrict b, double *restrict c) {
                for (int i = 0; i < n; i++) {
                    a[i] = 1.5;
                    b[i] = 2.5;
                    c[i] = 3.5;
                }
            }",
        cycles: 3.0,
        limit: "stores",
        lanes: 1.0,
    },
    // Nine of them at two in each cycle.
    Timed {
        name: "eight floating-point operations",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = ((b[i] + 1) * 2 + 3) * 4 + ((b[i] + 5) * 6 + 7) * 8;
            }",
        cycles: 4.5,
        limit: "floating-point",
        lanes: 1.0,
    },
    // A call of exp is assumed to take 40 cycles.
    Timed {
        name: "an exponential",
        source: r"
            double exp(double);
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = exp(b[i]);
            }",
        cycles: 40.0,
        limit: "calls",
        lanes: 1.0,
    },
    // A call of sin is assumed to take 50 cycles.
    Timed {
        name: "two sines",
        source: r"
            double sin(double);
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = sin(b[i]) + sin(2 * b[i]);
            }",
        cycles: 100.0,
        limit: "calls",
        lanes: 1.0,
    },
    // Five instructions at five in each cycle.
    Timed {
        name: "one addition",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] + 1;
            }",
        cycles: 1.0,
        limit: "front-end",
        lanes: 1.0,
    },
    // The same.
    Timed {
        name: "an addition in place",
        source: r"
            void f(int n, double *restrict a) {
                for (int i = 0; i < n; i++)
                    a[i] += 1;
            }",
        cycles: 1.0,
        limit: "front-end",
        lanes: 1.0,
    },
];
