// table of a dynamic program with three neighbours
// half: judging
// sizes: 50 120 300 700 1500
int t[N][N];
int x[N];
int y[N];

#define MAX(a, b) ((a) > (b) ? (a) : (b))
void kernel(void) {
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            t[i][j] = MAX(t[i - 1][j - 1] + (x[i] ^ y[j]), MAX(t[i - 1][j], t[i][j - 1]));
}

void prepare(void) {
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((int *)t)[i] = (int)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((int *)x)[i] = (int)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((int *)y)[i] = (int)(1 + i % 7);
}
