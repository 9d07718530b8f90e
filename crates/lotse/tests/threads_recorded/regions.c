#define _GNU_SOURCE
#include "regions.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Both as in the headers of OTF2 and EZTrace. */
typedef int record(void *writer, const void *attributes, uint64_t time, uint32_t region);
typedef int register_function(const char *name);

void define(struct region *region)
{
    register_function *known = (register_function *)dlsym(RTLD_DEFAULT, "ezt_otf2_register_function");
    region->number = known ? known(region->name) : -1;
}

static void put(const struct region *region, const char *record_name)
{
    /* A variable of each thread. */
    void **writer = dlsym(RTLD_DEFAULT, "evt_writer");
    uint64_t *start = dlsym(RTLD_DEFAULT, "first_timestamp");
    record *write_record = (record *)dlsym(RTLD_DEFAULT, record_name);
    if (region->number < 0 || !writer || !*writer || !start || !write_record)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    write_record(*writer, NULL, time - *start, (uint32_t)region->number);
}

void enter(const struct region *region)
{
    put(region, "OTF2_EvtWriter_Enter");
}

void leave(const struct region *region)
{
    put(region, "OTF2_EvtWriter_Leave");
}
