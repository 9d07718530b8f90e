// elimination without pivoting
// half: training
// sizes: 24 48 96 180 320
double a[N][N];

void kernel(void) {
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < N; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
}
