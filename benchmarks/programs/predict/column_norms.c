// sums over columns
// half: training
// sizes: 50 120 300 700 1500
double a[N][N];
double s[N];

void kernel(void) {
    for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += a[i][j] * a[i][j];
        s[j] = sum;
    }
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)s)[i] = (double)(1 + i % 7);
}
