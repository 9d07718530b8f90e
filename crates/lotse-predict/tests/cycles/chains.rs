//! Loops that are limited by a dependence chain.

use crate::Timed;

pub(crate) const LOOPS: &[Timed] = &[
    // An addition waits 4 cycles for the previous one.
    Timed {
        name: "a sum of doubles",
        source: r"
            double f(int n, const double *a) {
                double s = 0;
                for (int i = 0; i < n; i++)
                    s += a[i];
                return s;
            }",
        cycles: 4.0,
        limit: "chain",
        lanes: 1.0,
    },
    // The width does not matter.
    Timed {
        name: "a sum of floats",
        source: r"
            float f(int n, const float *a) {
                float s = 0;
                for (int i = 0; i < n; i++)
                    s += a[i];
                return s;
            }",
        cycles: 4.0,
        limit: "chain",
        lanes: 1.0,
    },
    // Subtracting is adding.
    Timed {
        name: "a difference",
        source: r"
            double f(int n, const double *a) {
                double s = 0;
                for (int i = 0; i < n; i++)
                    s -= a[i];
                return s;
            }",
        cycles: 4.0,
        limit: "chain",
        lanes: 1.0,
    },
    // A multiplication waits 4 cycles.
    Timed {
        name: "a product of doubles",
        source: r"
            double f(int n, const double *a) {
                double s = 1;
                for (int i = 0; i < n; i++)
                    s *= a[i];
                return s;
            }",
        cycles: 4.0,
        limit: "chain",
        lanes: 1.0,
    },
    // The multiplication does not wait for the sum.
    Timed {
        name: "a sum of squares",
        source: r"
            double f(int n, const double *a) {
                double s = 0;
                for (int i = 0; i < n; i++)
                    s += a[i] * a[i];
                return s;
            }",
        cycles: 4.0,
        limit: "chain",
        lanes: 1.0,
    },
    // Multiplication and addition are both on the chain.
    Timed {
        name: "Horner's rule",
        source: r"
            double f(int n, const double *a) {
                double s = 0;
                for (int i = 0; i < n; i++)
                    s = s * 3.0 + a[i];
                return s;
            }",
        cycles: 8.0,
        limit: "chain",
        lanes: 1.0,
    },
    // The sum is added to twice, one after the other.
    Timed {
        name: "two additions on the way",
        source: r"
            double f(int n, const double *a) {
                double s = 0;
                for (int i = 0; i < n; i++)
                    s = s + a[i] + 1.0;
                return s;
            }",
        cycles: 8.0,
        limit: "chain",
        lanes: 1.0,
    },
    // A division of doubles takes 14 cycles.
    Timed {
        name: "a division on the way",
        source: r"
            double f(int n, const double *a) {
                double s = 1;
                for (int i = 0; i < n; i++)
                    s = a[i] / s;
                return s;
            }",
        cycles: 14.0,
        limit: "chain",
        lanes: 1.0,
    },
    // A division of floats takes 11 cycles.
    Timed {
        name: "a division of floats on the way",
        source: r"
            float f(int n, const float *a) {
                float s = 1;
                for (int i = 0; i < n; i++)
                    s = a[i] / s;
                return s;
            }",
        cycles: 11.0,
        limit: "chain",
        lanes: 1.0,
    },
    // 3 cycles for the multiplication, 1 for the addition.
    Timed {
        name: "a product of integers",
        source: r"
            int f(int n, const int *a) {
                int s = 1;
                for (int i = 0; i < n; i++)
                    s = s * 3 + a[i];
                return s;
            }",
        cycles: 4.0,
        limit: "chain",
        lanes: 1.0,
    },
    // 1 cycle for the bits, 3 for the multiplication.
    Timed {
        name: "a hash of exclusive ors",
        source: r"
            unsigned f(int n, const unsigned *a) {
                unsigned s = 7;
                for (int i = 0; i < n; i++)
                    s = (s ^ a[i]) * 16777619u;
                return s;
            }",
        cycles: 4.0,
        limit: "chain",
        lanes: 1.0,
    },
    // 1 cycle for the addition, 14 for the division.
    Timed {
        name: "a division of integers on the way",
        source: r"
            int f(int n, const int *a) {
                int s = 1;
                for (int i = 0; i < n; i++)
                    s = (s + a[i]) / n;
                return s;
            }",
        cycles: 15.0,
        limit: "chain",
        lanes: 1.0,
    },
    // The value stays in a register: multiplication and addition.
    Timed {
        name: "a recurrence of first order",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 1; i < n; i++)
                    a[i] = a[i - 1] * 0.5 + b[i];
            }",
        cycles: 8.0,
        limit: "chain",
        lanes: 1.0,
    },
    // Stored and loaded again in 5 cycles, added in 4, for two iterations.
    Timed {
        name: "a recurrence two back",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 2; i < n; i++)
                    a[i] = a[i - 2] + b[i];
            }",
        cycles: 4.5,
        limit: "chain",
        lanes: 1.0,
    },
    // 5 and 14 cycles for four iterations.
    Timed {
        name: "a recurrence four back",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 4; i < n; i++)
                    a[i] = a[i - 4] / b[i];
            }",
        cycles: 4.75,
        limit: "chain",
        lanes: 1.0,
    },
    // A load of the first cache takes 5 cycles.
    Timed {
        name: "an index that follows",
        source: r"
            int next[256];
            int f(int n) {
                int j = 0;
                for (int i = 0; i < n; i++)
                    j = next[j];
                return j;
            }",
        cycles: 5.0,
        limit: "chain",
        lanes: 1.0,
    },
];
