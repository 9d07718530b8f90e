/* Reads all events of an archive with libotf2, one location after the other, and adds up their times and fields.
   Numbers of definitions count from 1, as Lotse's do. Prints how many events there were, and the sum. */
#include <otf2/otf2.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t events, sum;
static OTF2_LocationRef *locations;
static size_t location_count;

#define EVENT(name, fields, total) \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, \
                                  OTF2_AttributeList *attributes UNPACK fields) \
    { \
        events += 1; \
        sum += time + (total); \
        return OTF2_CALLBACK_SUCCESS; \
    }
#define UNPACK(...) , ##__VA_ARGS__

EVENT(enter, (OTF2_RegionRef region), (uint64_t)region + 1)
EVENT(leave, (OTF2_RegionRef region), (uint64_t)region + 1)
EVENT(mpi_send, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t length), (uint64_t)peer + comm + 1 + tag + length)
EVENT(mpi_recv, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t length), (uint64_t)peer + comm + 1 + tag + length)
EVENT(mpi_isend, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request),
      (uint64_t)peer + comm + 1 + tag + length + request)
EVENT(mpi_irecv, (uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request),
      (uint64_t)peer + comm + 1 + tag + length + request)
EVENT(request, (uint64_t request), request)
EVENT(lock, (OTF2_Paradigm model, uint32_t number, uint32_t order), (uint64_t)number + order)

static OTF2_CallbackCode collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                          OTF2_AttributeList *attributes)
{
    events += 1;
    sum += time;
    return OTF2_CALLBACK_SUCCESS;
}

EVENT(collective_end, (OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received),
      (uint64_t)op + comm + 1 + root + sent + received)

static OTF2_CallbackCode found(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                               uint64_t count, OTF2_LocationGroupRef group)
{
    locations = realloc(locations, (location_count + 1) * sizeof *locations);
    locations[location_count++] = self;
    return OTF2_CALLBACK_SUCCESS;
}

static void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "%s\n", OTF2_Error_GetDescription(code));
        exit(1);
    }
}

static void read_definitions(OTF2_Reader *reader)
{
    uint64_t count;
    check(OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &count));
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, found);
    check(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    check(OTF2_Reader_ReadGlobalDefinitions(reader, definitions, count, &count));
    check(OTF2_Reader_CloseGlobalDefReader(reader, definitions));
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *it = OTF2_EvtReaderCallbacks_New();
    check(OTF2_EvtReaderCallbacks_SetEnterCallback(it, enter));
    check(OTF2_EvtReaderCallbacks_SetLeaveCallback(it, leave));
    check(OTF2_EvtReaderCallbacks_SetMpiSendCallback(it, mpi_send));
    check(OTF2_EvtReaderCallbacks_SetMpiIsendCallback(it, mpi_isend));
    check(OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(it, request));
    check(OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(it, request));
    check(OTF2_EvtReaderCallbacks_SetMpiRecvCallback(it, mpi_recv));
    check(OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(it, mpi_irecv));
    check(OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(it, collective_begin));
    check(OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(it, collective_end));
    check(OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(it, lock));
    check(OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(it, lock));
    return it;
}

static void read_events(OTF2_Reader *reader, OTF2_EvtReaderCallbacks *callbacks, OTF2_LocationRef location)
{
    uint64_t count;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
    if (definitions) {
        check(OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count));
        check(OTF2_Reader_CloseDefReader(reader, definitions));
    }
    OTF2_EvtReader *it = OTF2_Reader_GetEvtReader(reader, location);
    check(OTF2_Reader_RegisterEvtCallbacks(reader, it, callbacks, NULL));
    check(OTF2_Reader_ReadAllLocalEvents(reader, it, &count));
    check(OTF2_Reader_CloseEvtReader(reader, it));
}

int main(int argc, char **argv)
{
    OTF2_Reader *reader = argc > 1 ? OTF2_Reader_Open(argv[1]) : NULL;
    if (!reader)
        return 1;
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader));
    read_definitions(reader);
    for (size_t at = 0; at < location_count; at++)
        check(OTF2_Reader_SelectLocation(reader, locations[at]));
    check(OTF2_Reader_OpenDefFiles(reader));
    check(OTF2_Reader_OpenEvtFiles(reader));
    OTF2_EvtReaderCallbacks *callbacks = event_callbacks();
    for (size_t at = 0; at < location_count; at++)
        read_events(reader, callbacks, locations[at]);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    check(OTF2_Reader_CloseDefFiles(reader));
    check(OTF2_Reader_CloseEvtFiles(reader));
    check(OTF2_Reader_Close(reader));
    printf("%" PRIu64 " %" PRIu64 "\n", events, sum);
    return 0;
}
