// convolution with 16 weights
// half: judging
// sizes: 500 2000 10000 50000 400000
float x[N + 16];
float y[N];
float w[16];

void kernel(void) {
    for (int i = 0; i < N; i++) {
        float s = 0;
        for (int k = 0; k < 16; k++)
            s += w[k] * x[i + k];
        y[i] = s;
    }
}

void prepare(void) {
    for (long i = 0; i < (long)((N + 16)); i++)
        ((float *)x)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((float *)y)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((16)); i++)
        ((float *)w)[i] = (float)(1 + i % 7);
}
