/* Programs whose threads wait in different ways: `cases CASE MILLISECONDS...`.
 *
 * lock INSIDE OUTSIDE: four threads, each three times: sleeps OUTSIDE in `extra` before a mutex and INSIDE in `extra`
 *     while it has it, then 20 in `rest`.
 * barrier A B C: three threads of a parallel region sleep A, B, C in `extra` and meet, three times.
 * rotating A B C: the same, but in each round the next thread sleeps A, the one behind it B, and so on.
 * serial LENGTH: three threads of a parallel region sleep 20 in `rest`, then one of them LENGTH in `extra`, three times.
 * critical INSIDE OUTSIDE: the same as lock, in a parallel region of four threads and with a critical section.
 * tasks LENGTH: one of three threads makes nine tasks that sleep LENGTH in `extra`, and 20 in `rest`.
 * dependent LENGTH: the same, but each task depends on the one before. */

#include "regions.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3, THREADS = 4, TEAM = 3, TASKS = 9, REST = 20 };

static struct region extra = { "extra", -1 }, rest = { "rest", -1 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long inside, outside;

static void spend(const struct region *region, long milliseconds)
{
    struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    enter(region);
    if (milliseconds > 0)
        nanosleep(&time, NULL);
    leave(region);
}

static void *locking(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        spend(&extra, outside);
        pthread_mutex_lock(&mutex);
        spend(&extra, inside);
        pthread_mutex_unlock(&mutex);
        spend(&rest, REST);
    }
    return unused;
}

static void lock(void)
{
    pthread_t threads[THREADS];
    for (int thread = 0; thread < THREADS; thread++)
        pthread_create(&threads[thread], NULL, locking, NULL);
    for (int thread = 0; thread < THREADS; thread++)
        pthread_join(threads[thread], NULL);
}

static void critical(void)
{
#pragma omp parallel num_threads(THREADS)
    for (int round = 0; round < ROUNDS; round++) {
        spend(&extra, outside);
#pragma omp critical
        spend(&extra, inside);
        spend(&rest, REST);
    }
}

static void barrier(char **milliseconds, int rotates)
{
    /* Recorders number threads as they appear: the second thread of the team appears before the third. */
#pragma omp parallel num_threads(2)
    spend(&rest, 0);
    for (int round = 0; round < ROUNDS; round++)
#pragma omp parallel num_threads(TEAM)
        spend(&extra, atol(milliseconds[(omp_get_thread_num() + rotates * round) % TEAM]));
}

static void serial(long length)
{
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(TEAM)
        spend(&rest, REST);
        spend(&extra, length);
    }
}

static void tasks(long length)
{
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    for (int task = 0; task < TASKS; task++)
#pragma omp task
    {
        spend(&extra, length);
        spend(&rest, REST);
    }
}

static void dependent(long length)
{
    static int last;
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    for (int task = 0; task < TASKS; task++)
#pragma omp task depend(inout : last)
    {
        last = task;
        spend(&extra, length);
        spend(&rest, REST);
    }
}

int main(int count, char **words)
{
    /* EZTrace names the attribute of its calls for mutexes at the first of each, and may not be naming a region then. */
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    define(&extra);
    define(&rest);
    if (count == 4 && !strcmp(words[1], "lock")) {
        inside = atol(words[2]);
        outside = atol(words[3]);
        lock();
    } else if (count == 4 && !strcmp(words[1], "critical")) {
        inside = atol(words[2]);
        outside = atol(words[3]);
        critical();
    } else if (count == 2 + TEAM && !strcmp(words[1], "barrier")) {
        barrier(words + 2, 0);
    } else if (count == 2 + TEAM && !strcmp(words[1], "rotating")) {
        barrier(words + 2, 1);
    } else if (count == 3 && !strcmp(words[1], "serial")) {
        serial(atol(words[2]));
    } else if (count == 3 && !strcmp(words[1], "tasks")) {
        tasks(atol(words[2]));
    } else if (count == 3 && !strcmp(words[1], "dependent")) {
        dependent(atol(words[2]));
    } else {
        return 2;
    }
    return 0;
}
