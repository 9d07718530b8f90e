// means and products of columns
// half: judging
// sizes: 24 48 96 180 320
double data[N][N];
double mean[N];
double cov[N][N];

void kernel(void) {
    for (int j = 0; j < N; j++) {
        mean[j] = 0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= N;
    }
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += (data[k][i] - mean[i]) * (data[k][j] - mean[j]);
            cov[i][j] = s / (N - 1);
        }
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)data)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)mean)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((double *)cov)[i] = (double)(1 + i % 7);
}
