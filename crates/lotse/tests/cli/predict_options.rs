//! Every option of `lotse predict`.

use serde_json::{Value, json};

use crate::session::{Answer, Session, list};

const MACHINE: &str = "\
name = \"test\"
[[cache]]
name = \"L1\"
capacity = 32768
line = 64
ways = 8
[[cache]]
name = \"L2\"
capacity = 1048576
line = 64
ways = 16
";

const PRODUCT: &str = "\
#define B 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))
float D[N][N], E[N][N], F[N][N];

void plain(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                D[i][j] += E[i][k] * F[k][j];
}

void tiled(void) {
    for (int it = 0; it < N; it += B)
        for (int jt = 0; jt < N; jt += B)
            for (int kt = 0; kt < N; kt += B)
                for (int i = it; i < MIN(it + B, N); i++)
                    for (int j = jt; j < MIN(jt + B, N); j++)
                        for (int k = kt; k < MIN(kt + B, N); k++)
                            D[i][j] += E[i][k] * F[k][j];
}
";

const DATA: &str = "\
int find(int n, const int *a, int x) {
    for (int i = 0; i < n; i++)
        if (a[i] == x)
            return i;
    return -1;
}

void gather(int n, const int *p, const double *a, double *restrict b) {
    for (int i = 0; i < n; i++)
        b[i] = a[p[i]];
}

void count(int n, const unsigned char *a, unsigned *h) {
    for (int i = 0; i < n; i++)
        h[a[i]]++;
}

void halves(int n, const double *restrict a, double *restrict b) {
    for (int i = 0; i < n; i++)
        if (a[i] > 0.5)
            b[i] = a[i];
}
";

pub(crate) fn session() -> Session {
    let session = Session::new();
    session.write("m.toml", MACHINE).write("product.c", PRODUCT).write("data.c", DATA);
    session
}

pub(crate) fn ask(session: &Session, words: &[&str]) -> Answer {
    session.lotse(&[&["predict"], words, &["--machine", "m.toml"]].concat())
}

pub(crate) fn json_of(session: &Session, words: &[&str]) -> Value {
    let answer = ask(session, &[words, &["--json"]].concat());
    assert_eq!(answer.status, 0, "{words:?}: {}", answer.stderr);
    answer.json()
}

/// If the time depends on data, the sentence gives its range or its upper bound, and the line on which it depends.
#[test]
fn times_that_depend_on_data_are_ranges() {
    let session = session();
    let cases = [
        ("find", "find takes at most ", "line 4: return may leave the loop early"),
        ("gather", "gather takes between ", "line 10: data select the element of a (p[i] is data in memory)"),
        ("count", "data decide between ", "line 15: data select the element of h (a[i] is data in memory)"),
        ("halves", "data decide between ", "line 20: a condition decides: a[i] is data in memory"),
    ];
    for (function, sentence, reason) in cases {
        let answer = ask(&session, &["data.c", "-f", function, "-D", "n=1000000"]);
        assert_eq!(answer.status, 0, "{}", answer.stderr);
        let text = answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(sentence) && text.contains(reason), "{text}");
    }
    let exact = ask(&session, &["product.c", "-f", "plain", "-D", "N=100"]);
    assert!(exact.stdout.starts_with("plain takes about "), "{}", exact.stdout);
    assert!(!exact.stdout.contains("Data decide"), "{}", exact.stdout);
}

#[test]
fn bounds_in_json() {
    let answer = json_of(&session(), &["data.c", "-f", "gather", "-D", "n=1000000"]);
    let number = |value: &Value| value.as_f64().unwrap();
    let (least, most) = (number(&answer["bound"]["least"]), number(&answer["bound"]["most"]));
    let seconds = number(&answer["seconds"]);
    assert!(least < seconds && seconds < most, "{answer}");
    assert!(number(&answer["interval"][0]) < least && most < number(&answer["interval"][1]), "{answer}");
    let because = list(&answer["bound"]["because"]);
    assert_eq!((because.len(), &because[0]["site"]["line"]), (1, &json!(10)));
    assert_eq!(
        (&answer["loops"][0]["bounded"], &answer["loops"][0]["range"][1]),
        (&json!(true), &json!(most))
    );
    let exact = json_of(&session(), &["product.c", "-f", "plain", "-D", "N=100"]);
    assert!(exact.get("bound").is_none(), "{exact}");
    assert_eq!(exact["coverage"], 1.0);
}

#[test]
fn the_compiler_is_assumed_or_chosen() {
    let session = session();
    let of =
        |words: &[&str]| json_of(&session, &[&["product.c", "-f", "plain", "-D", "N=101"], words].concat());
    assert_eq!(of(&[])["assumes"], "gcc -O2");
    let (second, third) = (of(&["--assume", "gcc-O2"]), of(&["--assume", "gcc-O3"]));
    assert_eq!((&second["assumes"], &third["assumes"]), (&json!("gcc -O2"), &json!("gcc -O3")));
    assert!(third["seconds"].as_f64() < second["seconds"].as_f64(), "-O3 vectorises what is left over");
    let wrong = ask(&session, &["product.c", "--assume", "icc"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("gcc-O3"), "{}", wrong.stderr);
}

#[test]
fn the_cache_is_warm_unless_an_option_makes_it_cold() {
    let session = session();
    let of =
        |cache: &[&str]| json_of(&session, &[&["product.c", "-f", "plain", "-D", "N=50"], cache].concat());
    let (warm, cold) = (of(&[]), of(&["--cache", "cold"]));
    assert_eq!((&warm["cache"], &cold["cache"]), (&json!("warm"), &json!("cold")));
    assert!(warm["seconds"].as_f64() < cold["seconds"].as_f64());
    // Three matrices of 10000 bytes fit the first cache: nothing is fetched if they are there.
    let misses = |answer: &Value| {
        list(&answer["loops"]).iter().map(|it| it["misses"]["L1"].as_f64().unwrap()).sum::<f64>()
    };
    assert!(misses(&warm) < 60.0 && misses(&cold) > 450.0, "{} {}", misses(&warm), misses(&cold));
    assert!(ask(&session, &["product.c", "-f", "plain", "-D", "N=50"]).stdout.contains("a warm cache"));
}

#[test]
fn values_of_parameters() {
    let session = session();
    let plain = json_of(&session, &["product.c", "-f", "tiled", "-D", "N=96"]);
    assert_eq!(plain["parameters"], json!({ "B": 16, "N": 96 }), "the macro has its own value");
    let other = json_of(&session, &["product.c", "-f", "tiled", "-D", "N=96", "-D", "B=32"]);
    assert_eq!(other["parameters"], json!({ "B": 32, "N": 96 }));
    let long = json_of(&session, &["product.c", "-f", "tiled", "--define", "N=96"]);
    assert_eq!(long["seconds"], plain["seconds"]);
    // 3 B^2 elements of 4 bytes in one execution of the three inner loops, as in the paper.
    let inner = |answer: &Value| answer["loops"][3]["footprint_bytes"].as_f64().unwrap();
    assert_eq!((inner(&plain), inner(&other)), (3.0 * 256.0 * 4.0, 3.0 * 1024.0 * 4.0));
}

#[test]
fn lists_are_ranked() {
    let session = session();
    session.write(
        "many.c",
        "double a[N][N];\nint none(int x) { return x + 1; }\nvoid small(void) { for (int i = 0; i < N; i++) a[i][0] = 1; }\n\
         void large(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) a[i][j] = 1; }\n\
         void open(int m) { for (int i = 0; i < m; i++) a[i][0] = 1; }\n",
    );
    let answer = json_of(&session, &["many.c", "-D", "N=300"]);
    let names: Vec<&str> =
        list(&answer["functions"]).iter().filter_map(|it| it["function"].as_str()).collect();
    assert_eq!(names, ["large", "small", "open"]);
    assert_eq!((&answer["without_loops"], &answer["functions"][2]["missing"]), (&json!(1), &json!(["m"])));
    let text = ask(&session, &["many.c", "-D", "N=300"]).stdout;
    assert!(text.starts_with("The longest function of many.c is large: about "), "{text}");
    assert!(text.contains("needs -D m"), "{text}");
    let data = ask(&session, &["data.c", "-D", "n=1000"]).stdout;
    assert!(data.contains("as data decide"), "{data}");
}

#[test]
fn sweeps_have_growing_values_and_pictures() {
    let session = session();
    let words = ["product.c", "-f", "plain", "--sweep", "N=20..800", "--svg", "s.svg"];
    let swept = json_of(&session, &words);
    let points = list(&swept["points"]);
    let values: Vec<i64> = points.iter().map(|point| point["value"].as_i64().unwrap()).collect();
    assert_eq!((values.first(), values.last()), (Some(&20), Some(&800)));
    assert!(values.windows(2).all(|pair| pair[0] < pair[1]) && values.len() >= 30);
    // 12 N^2 bytes fit 32768 up to N = 52, and 1048576 up to N = 295.
    assert_eq!(swept["leaves"], json!({ "L1": 52, "L2": 295 }));
    assert!(values.contains(&52) && values.contains(&53), "both sides of the border are there");
    let text = ask(&session, &words).stdout;
    assert!(text.starts_with("plain leaves L1 above N = 52, leaves L2 above N = 295."), "{text}");
    let picture = session.read("s.svg");
    assert!(picture.contains("leaves L1") && picture.contains("plain: predicted time over N"));
    let short = json_of(&session, &["product.c", "-f", "plain", "--sweep", "N=5..7"]);
    assert_eq!(list(&short["points"]).len(), 3);
    let unknown = ask(&session, &["product.c", "-f", "plain", "--sweep", "M=5..7"]);
    assert_eq!(unknown.status, 2);
}

#[test]
fn tile_sizes_are_ranked() {
    let session = session();
    let words = ["product.c", "-f", "tiled", "-D", "N=600", "--tile", "--svg", "t.svg"];
    let answer = json_of(&session, &words);
    assert_eq!(answer["parameter"], json!(["B"]));
    let sizes = list(&answer["sizes"]);
    let seconds: Vec<f64> = sizes.iter().map(|size| size["seconds"].as_f64().unwrap()).collect();
    assert!(seconds.windows(2).all(|pair| pair[0] <= pair[1]) && sizes.len() > 15);
    let best = sizes[0]["value"].as_i64().unwrap();
    assert!((8..=256).contains(&best), "{best}");
    let text = ask(&session, &words).stdout;
    assert!(text.starts_with(&format!("The fastest tile of tiled is B = {best}: about ")), "{text}");
    assert!(session.read("t.svg").starts_with("<svg"));
}

#[test]
fn comparisons_have_a_probability() {
    let session = session();
    session.write("rows.c", "double a[N][N]; void rows(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) a[i][j] *= 3; }");
    session.write("columns.c", "double a[N][N]; void columns(void) { for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) a[i][j] *= 3; }");
    let answer = json_of(&session, &["rows.c", "--compare", "columns.c", "-D", "N=1000"]);
    let (ratio, faster) = (answer["ratio"].as_f64().unwrap(), answer["first_is_faster"].as_f64().unwrap());
    assert!(ratio < 0.6 && faster > 0.8, "{ratio} {faster}");
    let turned = json_of(&session, &["columns.c", "--compare", "rows.c", "-D", "N=1000"]);
    assert!((turned["ratio"].as_f64().unwrap() * ratio - 1.0).abs() < 1e-9);
    assert!((turned["first_is_faster"].as_f64().unwrap() + faster - 1.0).abs() < 1e-9);
    let same = json_of(&session, &["rows.c", "--compare", "rows.c", "-D", "N=1000"]);
    assert_eq!((same["ratio"].as_f64(), same["first_is_faster"].as_f64()), (Some(1.0), Some(0.5)));
    assert_eq!(answer["first"]["function"], "rows");
    let text = ask(&session, &["rows.c", "--compare", "columns.c", "-D", "N=1000"]).stdout;
    assert!(text.starts_with("rows of rows.c is predicted to be "), "{text}");
}

/// Options that exclude each other or lack something.
#[test]
fn options_that_do_not_go_together() {
    let session = session();
    let cases: &[(&[&str], &str)] = &[
        (&["product.c", "--tile", "--sweep", "N=1..2"], "cannot be used with"),
        (&["product.c", "--tile", "--compare", "data.c"], "cannot be used with"),
        (&["product.c", "--sweep", "N=1..2", "--compare", "data.c"], "cannot be used with"),
        (
            &["product.c", "--sweep", "N=1..2"],
            "has 2 functions with loops; choose one, such as --function plain",
        ),
        (&["product.c", "--sweep", "N", "-f", "plain"], "expected a name and a range"),
        (&["product.c", "--svg", "x.svg", "-D", "N=3"], "--svg draws a sweep or tile sizes"),
        (&["product.c", "--cache", "hot"], "possible values: warm, cold"),
        (&["product.c", "-f", "plainn", "-D", "N=3"], "is it plain?"),
        (&["product.c", "-D", "N=three"], "expected a name and a whole number"),
        (&[], "the following required arguments were not provided"),
    ];
    for (words, text) in cases {
        let answer = ask(&session, words);
        assert_eq!(answer.status, 2, "{words:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(text), "{words:?}: {}", answer.stderr);
    }
}

const PARTLY: &str = "\
static double square(double x) { return x * x; }

double known(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * a[i];
    return s;
}

double calls(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += square(a[i]);
    return s;
}

void rows(int n, const int *p, double *y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = p[i]; k < p[i + 1]; k++)
            s += k * 0.5;
        y[i] = s;
    }
}

void closing(int n, double *a) {
    for (int i = 0, j = n; i < j; i++, j--)
        a[i] = a[j];
}
";

/// Times that lack parts are not compared, in text and in JSON.
#[test]
fn what_is_not_analysed_cannot_be_compared() {
    let session = session();
    session
        .write("partly.c", PARTLY)
        .write("other.c", &PARTLY.replace("rows", "lines").replace("known", "rows"));
    let words = ["partly.c", "-f", "rows", "-D", "n=1000", "--compare", "other.c"];
    let answer = ask(&session, &words);
    assert!(
        answer.stdout.starts_with("Which one is faster is not known: parts of rows of partly.c"),
        "{}",
        answer.stdout
    );
    let answer = json_of(&session, &words);
    assert!(answer.get("ratio").is_none() && answer.get("first_is_faster").is_none(), "{answer}");
}

#[test]
fn parts_that_are_not_analysed_are_not_made_up() {
    let session = session();
    session.write("partly.c", PARTLY);
    let asked = |function: &str, more: &[&str]| {
        json_of(&session, &[&["partly.c", "-f", function, "-D", "n=1000"], more].concat())
    };
    // A function that is not known may be inlined and cost nothing: only the call counts.
    let (plain, calls) = (asked("known", &[]), asked("calls", &[]));
    let ratio = calls["seconds"].as_f64().unwrap() / plain["seconds"].as_f64().unwrap();
    assert!((0.5..3.0).contains(&ratio), "{ratio}");
    // Without the inner loop, which is not analysed, the loop over rows could be mistaken for a memset or for compiled code.
    for more in [&[][..], &["--compile", "gcc -O2"]] {
        let rows = asked("rows", more);
        let why = rows["loops"][0]["why"].as_str().unwrap();
        assert!(!why.contains("memset") && !why.contains("compiled, at"), "{why}");
        assert!(why.contains("a loop in it is not analysed"), "{why}");
    }
    let closing = asked("closing", &[]);
    assert!(list(&closing["loops"]).is_empty(), "{closing}");
    let reason = closing["refused"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "the loop changes its bound j");
}
