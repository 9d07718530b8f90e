//! Arrays, pointers, structs and types of C.

use lotse_predict::question::Language;

use crate::Form;

pub(crate) const FORMS: &[Form] = &[
    Form {
        name: "a global vector",
        language: Language::C,
        source: r"
            double a[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a global matrix",
        language: Language::C,
        source: r"
            float a[N][N], b[N][N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        a[i][j] = b[j][i];
            }",
        values: &[],
        iterations: &[12.0, 144.0],
        arrays: &["b", "a"],
    },
    Form {
        name: "a static cube",
        language: Language::C,
        source: r"
            static int a[4][5][6];
            void f(void) {
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 5; j++)
                        for (int l = 0; l < 6; l++)
                            a[i][j][l] = 1;
            }",
        values: &[],
        iterations: &[4.0, 20.0, 120.0],
        arrays: &["a"],
    },
    Form {
        name: "a parameter with a variable length",
        language: Language::C,
        source: r"
            void f(int n, int m, double a[n][m]) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < m; j++)
                        a[i][j] = 0;
            }",
        values: &[],
        iterations: &[12.0, 60.0],
        arrays: &["a"],
    },
    Form {
        name: "a pointer to rows of known length",
        language: Language::C,
        source: r"
            void f(int n, double (*a)[8]) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < 8; j++)
                        a[i][j] = 0;
            }",
        values: &[],
        iterations: &[12.0, 96.0],
        arrays: &["a"],
    },
    Form {
        name: "restrict",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, double *__restrict b) {
                for (int i = 0; i < n; i++)
                    b[i] = a[i];
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "pointer arithmetic",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    *(a + i) = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a pointer to a row",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++) {
                    double *row = a + i * n;
                    for (int j = 0; j < n; j++)
                        row[j] = 0;
                }
            }",
        values: &[],
        iterations: &[12.0, 144.0],
        arrays: &["a"],
    },
    Form {
        name: "the address of an element",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++) {
                    double *row = &a[i * n];
                    for (int j = 0; j < n; j++)
                        row[j] = 0;
                }
            }",
        values: &[],
        iterations: &[12.0, 144.0],
        arrays: &["a"],
    },
    Form {
        name: "rows that are pointers",
        language: Language::C,
        source: r"
            void f(int n, double **a) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        a[i][j] = 0;
            }",
        values: &[],
        iterations: &[12.0, 144.0],
        arrays: &["a"],
    },
    Form {
        name: "an array of the function",
        language: Language::C,
        source: r"
            double f(int n) {
                double a[64], s = 0;
                for (int i = 0; i < n; i++)
                    a[i] = i;
                for (int i = 0; i < n; i++)
                    s += a[i];
                return s;
            }",
        values: &[],
        iterations: &[12.0, 12.0],
        arrays: &["a"],
    },
    Form {
        name: "a typedef",
        language: Language::C,
        source: r"
            typedef float real;
            void f(int n, real *a) {
                for (int i = 0; i < n; i++)
                    a[i] = (real)i;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "structs",
        language: Language::C,
        source: r"
            struct p { double x, y; };
            void f(int n, struct p *a) {
                for (int i = 0; i < n; i++)
                    a[i].x = a[i].y;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a typedef of a struct",
        language: Language::C,
        source: r"
            typedef struct { float re, im; } cplx;
            void f(int n, cplx *a) {
                for (int i = 0; i < n; i++)
                    a[i].re += a[i].im;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "an array in a struct",
        language: Language::C,
        source: r"
            struct p { double x[3]; };
            void f(int n, struct p *a) {
                for (int i = 0; i < n; i++)
                    for (int d = 0; d < 3; d++)
                        a[i].x[d] = 0;
            }",
        values: &[],
        iterations: &[12.0, 36.0],
        arrays: &["a"],
    },
    Form {
        name: "a pointer in a struct",
        language: Language::C,
        source: r"
            struct v { int n; double *data; };
            void f(struct v *v) {
                for (int i = 0; i < v->n; i++)
                    v->data[i] = 0;
            }",
        values: &[("v->n", 7)],
        iterations: &[7.0],
        arrays: &["v", "v->data"],
    },
    Form {
        name: "sizes in a struct",
        language: Language::C,
        source: r"
            struct m { int rows, cols; float *cell; };
            void f(struct m *m) {
                for (int r = 0; r < m->rows; r++)
                    for (int c = 0; c < m->cols; c++)
                        m->cell[r * m->cols + c] = 0;
            }",
        values: &[("m->rows", 4), ("m->cols", 6)],
        iterations: &[4.0, 24.0],
        arrays: &["m", "m->cell"],
    },
    Form {
        name: "a cast of the pointer",
        language: Language::C,
        source: r"
            void f(int n, void *p) {
                for (int i = 0; i < n; i++)
                    ((float *)p)[i] = 0;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["(float *) p"],
    },
    Form {
        name: "bytes",
        language: Language::C,
        source: r"
            void f(int n, unsigned char *a) {
                for (int i = 0; i < n; i++)
                    a[i] ^= 255;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "long integers",
        language: Language::C,
        source: r"
            void f(long n, long long *a) {
                for (long i = 0; i < n; i++)
                    a[i] <<= 1;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "a conditional expression",
        language: Language::C,
        source: r"
            void f(int n, const int *restrict a, int *restrict b) {
                for (int i = 0; i < n; i++)
                    b[i] = a[i] > 3 ? a[i] : 3;
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a", "b"],
    },
    Form {
        name: "functions of the library",
        language: Language::C,
        source: r"
            double sqrt(double);
            double exp(double);
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    a[i] = sqrt(a[i]) + exp(a[i]);
            }",
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
    Form {
        name: "line markers of the preprocessor",
        language: Language::C,
        source: r#"
            # 1 "x.c"
            typedef double real;
            void f(int n, real *a) {
                for (int i = 0; i < n; i++)
                    a[i] = 0;
            }"#,
        values: &[],
        iterations: &[12.0],
        arrays: &["a"],
    },
];
