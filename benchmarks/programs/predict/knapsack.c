// row of a knapsack table for each item
// half: training
// sizes: 50 120 300 700 1500
int best[2 * N];

#define MAX(a, b) ((a) > (b) ? (a) : (b))
void kernel(void) {
    for (int item = 1; item < N; item++)
        for (int w = 2 * N - 1; w >= item; w--)
            best[w] = MAX(best[w], best[w - item] + item);
}

void prepare(void) {
    for (long i = 0; i < (long)((2 * N)); i++)
        ((int *)best)[i] = (int)(1 + i % 7);
}
