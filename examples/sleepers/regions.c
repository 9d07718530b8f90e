/* EZTrace 2.0 as Debian packages it has no module for functions of the program itself, but its library keeps a writer
 * of events for each thread. It is found by name while the program runs, so that the program is built without EZTrace
 * and runs without it. */

#define _GNU_SOURCE
#include "regions.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

/* Both as in OTF2's headers. */
typedef int record(void *writer, const void *attributes, uint64_t time, uint32_t region);
typedef int define(const char *name);

static void put(struct region *region, const char *record_name)
{
    void **writer = dlsym(RTLD_DEFAULT, "evt_writer");
    uint64_t *start = dlsym(RTLD_DEFAULT, "first_timestamp");
    define *define_region = (define *)dlsym(RTLD_DEFAULT, "ezt_otf2_register_function");
    record *write_record = (record *)dlsym(RTLD_DEFAULT, record_name);
    if (!writer || !*writer || !start || !define_region || !write_record)
        return;
    if (!region->known) {
        region->number = (uint32_t)define_region(region->name);
        region->known = 1;
    }
    /* Nanoseconds of this clock, counted from the recorder's start. */
    write_record(*writer, NULL, (uint64_t)(MPI_Wtime() * 1e9) - *start, region->number);
}

void region_enter(struct region *region)
{
    put(region, "OTF2_EvtWriter_Enter");
}

void region_leave(struct region *region)
{
    put(region, "OTF2_EvtWriter_Leave");
}
