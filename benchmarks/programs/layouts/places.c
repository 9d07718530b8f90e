// places KERNEL: loops whose speed depends on where their data lie, not on where their code lies.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As a file has it: the count is not aligned, and lies in two cache lines where the header begins 48 bytes into one.
struct header {
    char name[12];
    volatile uint64_t count;
    char rest[12];
} __attribute__((packed));

// Every addition needs the result of the one before, through memory.
__attribute__((noinline)) static uint64_t counted(struct header *header) {
    header->count = 1;
    for (int i = 0; i < 20000000; i++)
        header->count += i & 3;
    return header->count;
}

__attribute__((noinline)) static uint64_t on_stack(void) {
    struct header header __attribute__((aligned(16)));
    memset(&header, 0, sizeof header);
    return counted(&header);
}

static uint64_t on_heap(void) {
    struct header *header = calloc(1, sizeof *header);
    return counted(header);
}

// Sums the products of two arrays that fit into the first cache, 32 bytes at a time.
#ifdef __x86_64__
__attribute__((target("avx2"), optimize("O3")))
#else
__attribute__((optimize("O3")))
#endif
__attribute__((noinline)) static uint32_t product(const int32_t *a, const int32_t *b, int n) {
    uint32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += (uint32_t)a[i] ^ (uint32_t)b[i];
    return sum;
}

static uint64_t vectors(void) {
    enum { N = 1500 };
    int32_t *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    uint64_t sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i * 7, b[i] = i * 5;
    for (int round = 0; round < 200000; round++) {
        a[round % N]++;
        sum += product(a, b, N);
    }
    return sum;
}

// Stores to one block and loads from another: a load from the same place of another page may wait for the store.
__attribute__((noinline)) static void shift(uint32_t *to, const uint32_t *from, int n) {
    for (int i = 0; i < n; i++)
        to[i] = from[i] * 3 + 1;
}

static uint64_t blocks(void) {
    enum { N = 500 };
    uint32_t *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    for (int i = 0; i < N; i++)
        a[i] = b[i] = (uint32_t)i;
    for (int round = 0; round < 50000; round++) {
        shift(a, b, N);
        shift(b, a, N);
    }
    return a[7];
}

int main(int argc, char **argv) {
    const char *kernel = argc > 1 ? argv[1] : "stack";
    uint64_t result;
    if (!strcmp(kernel, "stack"))
        result = on_stack();
    else if (!strcmp(kernel, "heap"))
        result = on_heap();
    else if (!strcmp(kernel, "vectors"))
        result = vectors();
    else
        result = blocks();
    printf("%llu\n", (unsigned long long)result);
    return 0;
}
