// running sums
// half: judging
// sizes: 500 2000 10000 50000 400000
double a[N];
double s[N];

void kernel(void) {
    for (int i = 1; i < N; i++)
        s[i] = s[i - 1] + a[i];
}

void prepare(void) {
    for (long i = 0; i < (long)((N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)s)[i] = (double)(1 + i % 7);
}
