//! What the loops of functions compiled by gcc carry.

use std::process::Command;

use lotse_formats::history::{CarriedVariable, StoredFlow};
use lotse_symbols::Binary;

use super::MachineCode;

const SOURCE: &str = "\
double recorded(double);
void fill(long n, double *a) { for (long i = 0; i < n; i++) a[i] = i; }
void columns(long n, long m, double *a) { for (long i = 0; i < n; i++) a[i * m] = 1; }
double sum(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
long count(long n, const double *a) { long k = 0; for (long i = 0; i < n; i++) if (a[i] > 0) k++; return k; }
long most(long n, const long *a) { long m = 0; for (long i = 0; i < n; i++) m = a[i] > m ? a[i] : m; return m; }
void prefix(long n, long *a) { long s = 0; for (long i = 0; i < n; i++) { s += a[i]; a[i] = s; } }
void random(long n, unsigned long *a) {
    unsigned long x = 7;
    for (long i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; a[i] = x; }
}
void linear(long n, unsigned *a) { unsigned x = 7; for (long i = 0; i < n; i++) { x = x * 1664525 + 1013904223; a[i] = x; } }
long compact(long n, const long *a, long *b) { long k = 0; for (long i = 0; i < n; i++) if (a[i] > 0) b[k++] = a[i]; return k; }
struct node { struct node *next; long value; };
void list(struct node *p) { for (; p; p = p->next) p->value = 1; }
double called(long n, double *a) { double s = 0; for (long i = 0; i < n; i++) { s += a[i]; a[i] = recorded(a[i]); } return s; }
void chunks(long n, long m, double *a) {
    while (n > 0) { long k = n < m ? n : m; a[0] = 1; a[k - 1] = 2; a += k; n -= k; }
}
void rows(long n, long m, double *a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            a[i * m + j] = i + j;
}
void row_sums(long n, long m, const double *a, double *sums) {
    for (long i = 0; i < n; i++) {
        double s = 0;
        for (long j = 0; j < m; j++)
            s += a[i * m + j];
        sums[i] = s;
    }
}
double total(long n, long m, const double *a) {
    double s = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            s += a[i * m + j];
    return s;
}
long first_negative(long n, long *a) {
    for (long i = 0; i < n; i++) { a[i] *= 2; if (a[i] < 0) return i; }
    return -1;
}
long tickets;
void numbered(long n, long *a) { for (long i = 0; i < n; i++) a[i] = __atomic_fetch_add(&tickets, 1, 5); }
__thread long seed;
void of_a_thread(long n, long *a) { for (long i = 0; i < n; i++) { seed = seed * 25214903917 + 11; a[i] = seed; } }
struct row { long length; double *of; };
void check(void);
void checked(long n, long m, const struct row *rows, double *sums) {
    long length = rows[0].length;
    for (long i = 0;;) {
        double s = 0;
        for (long j = 0; j < m; j++) { if (j >= length) { check(); return; } s += rows[i].of[j]; }
        sums[i] = s;
        if (++i == n) return;
        length = rows[i].length;
    }
}
void rotated(long n, long *next, double *a) {
    long p = 0, q = 1;
    for (long i = 0; i < n; i++) { a[p] = 1; long z = next[p]; p = q; q = z; }
}
void backwards(long n, double *a) { while (n-- > 0) a[n] = 3; }
void every_other(long n, double *a) { for (double *p = a, *end = a + n; p < end; p += 2) *p = 1; }
double product(long n, const double *a) { double p = 1; for (long i = 0; i < n; i++) p *= a[i]; return p; }
unsigned long bits(long n, const unsigned long *a) { unsigned long x = 0; for (long i = 0; i < n; i++) x ^= a[i]; return x; }
unsigned long hash(long n, const unsigned char *a) { unsigned long h = 5381; for (long i = 0; i < n; i++) h = h * 33 + a[i]; return h; }
void smooth(long n, double *a) { double s = 0; for (long i = 0; i < n; i++) { s = 0.9 * s + 0.1 * a[i]; a[i] = s; } }
void fibonacci(long n, long *a) { long x = 0, y = 1; for (long i = 0; i < n; i++) { a[i] = x; long z = x + y; x = y; y = z; } }
void alternate(long n, double *a, const double *b) { long flip = 0; for (long i = 0; i < n; i++) { a[i] = flip ? b[i] : 0; flip = b[i] > 1 ? !flip : flip; } }
void two_sums(long n, const double *a, double *b) {
    double s = 0, t = 0;
    for (long i = 0; i < n; i++) { s += a[i]; t += a[i] * a[i]; }
    b[0] = s, b[1] = t;
}
long until(long n, const long *a, long limit) { long s = 0; for (long i = 0; i < n; i++) { s += a[i]; if (s > limit) return i; } return n; }
void budget(long n, const long *a, long *b) {
    long left = 1000;
    for (long i = 0; i < n; i++)
        if (a[i] % 3 == 0 && left > 0) { b[i] = 1; left--; } else { b[i] = a[i]; }
}
void last_seen(long n, const double *a, double *b) {
    double last = 0;
    for (long i = 0; i < n; i++) { if ((unsigned long)a[i] % 2 == 0) last = a[i]; b[i] = last; }
}
void error(long n, const float *a, unsigned char *b) {
    float e = 0;
    for (long i = 0; i < n; i++) { float v = a[i] + e; int on = v > 0.5f; b[i] = on; e = v - (on ? 1.0f : 0.0f); }
}
void previous(long n, double *a, double *b) { double p = 0; for (long i = 0; i < n; i++) { double c = a[i]; b[i] = c - p; p = c; } }
";

/// The class of loop-carried variable that hinders parallel execution most, for each function.
fn worst(option: &str) -> Vec<(String, CarriedVariable)> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), SOURCE).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let options = [
        "-fno-tree-vectorize",
        "-fno-tree-loop-distribute-patterns",
        "-fcf-protection=none",
        "-fno-omit-frame-pointer",
    ];
    run("gcc", &[&[option][..], &options, &["-c", "-o", "a.o", "a.c"]].concat());
    run("ld", &["--unresolved-symbols=ignore-all", "-e", "0", "-o", "a", "a.o"]);
    let bytes = std::fs::read(folder.path().join("a")).unwrap();
    let binary = Binary::parse(&bytes).unwrap();
    let functions = binary.symbols().filter(|function| function.size > 0);
    let of_function = |function: lotse_symbols::Function<'_>| {
        let operations = binary.operations(function.range()).unwrap();
        let blocks = lotse_symbols::blocks(&operations, &|_| Vec::new());
        let flow = StoredFlow { function: function.address, blocks, ..StoredFlow::default() };
        let all = MachineCode { operations: &operations, is_recorder: &|_| false }.with_carried(flow).carried;
        (function.name.to_owned(), all.iter().map(|(_, carried)| *carried).max().unwrap())
    };
    functions.map(of_function).collect()
}

#[test]
fn what_loops_carry() {
    use CarriedVariable::{Combined, Leaves, None, State};
    let expected = [
        ("fill", None),
        ("columns", None),
        ("sum", Combined),
        ("count", Combined),
        ("most", Combined),
        ("prefix", State),
        ("random", State),
        ("linear", State),
        ("compact", State),
        ("list", State),
        ("called", Combined),
        ("chunks", None),
        ("previous", State),
        ("budget", State),
        ("last_seen", State),
        ("error", State),
        ("rows", None),
        ("row_sums", Combined),
        ("total", Combined),
        // The length of the next row is loaded an iteration early, and is no state.
        ("checked", Leaves),
        ("rotated", State),
        ("first_negative", Leaves),
        ("numbered", State),
        ("of_a_thread", State),
        ("backwards", None),
        ("every_other", None),
        ("product", Combined),
        ("bits", Combined),
        // The last value of h is all that is used, but the order of its characters matters.
        ("hash", State),
        ("smooth", State),
        ("fibonacci", State),
        ("alternate", State),
        ("two_sums", Combined),
        ("until", State),
    ];
    for option in ["-O1", "-O2", "-O3"] {
        let found = worst(option);
        for (name, carried) in expected {
            let own = found.iter().find(|(known, _)| known == name).unwrap();
            assert_eq!(own.1, carried, "{name} at {option}");
        }
    }
}
