// three points, two arrays
// half: training
// sizes: 500 2000 10000 50000 400000
double a[N];
double b[N];

void kernel(void) {
    for (int t = 0; t < 4; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < N - 1; i++)
            a[i] = b[i];
    }
}

void prepare(void) {
    for (long i = 0; i < (long)((N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
}
