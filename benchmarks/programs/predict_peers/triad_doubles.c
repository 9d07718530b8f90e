// triad of STREAM, doubles
// half: judging
// sizes: 500 2000 10000 50000 400000
double a[N];
double b[N];
double c[N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        a[i] = b[i] + 3.0 * c[i];
}

void prepare(void) {
    for (long i = 0; i < (long)(N); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)(N); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)(N); i++)
        ((double *)c)[i] = (double)(1 + i % 7);
}
