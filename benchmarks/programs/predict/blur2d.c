// weights of 3 x 3
// half: training
// sizes: 50 120 300 700 1500
float a[N + 2][N + 2];
float b[N][N];
float w[3][3];

void kernel(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    s += w[k][l] * a[i + k][j + l];
            b[i][j] = s;
        }
}

void prepare(void) {
    for (long i = 0; i < (long)((N + 2) * (N + 2)); i++)
        ((float *)a)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((N) * (N)); i++)
        ((float *)b)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((3) * (3)); i++)
        ((float *)w)[i] = (float)(1 + i % 7);
}
