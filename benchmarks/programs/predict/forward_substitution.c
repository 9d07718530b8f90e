// triangular solution
// half: judging
// sizes: 50 120 300 700 1500
double l[N][N];
double x[N];
double b[N];

void kernel(void) {
    for (int i = 0; i < N; i++) {
        double s = b[i];
        for (int j = 0; j < i; j++)
            s -= l[i][j] * x[j];
        x[i] = s / l[i][i];
    }
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)l)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)x)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)b)[i] = (double)(1 + i % 7);
}
