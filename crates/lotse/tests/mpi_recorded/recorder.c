// Records an MPI program through MPI's profiling interface and writes an OTF2 archive with Debian's libotf2: for calls
// that the packaged recorders leave out. Link it with the program; LOTSE_TRACE names the folder to write.
// All ranks run on one machine and share its clock.

#define OTF2_MPI_USE_PMPI
#include <mpi.h>
#include <otf2/otf2.h>
#include <otf2/OTF2_MPI_Collectives.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "recorder.h"

#define CALLS(X)                                                                                                   \
    X(Init, NONE, OTF2_REGION_ROLE_UNKNOWN) X(Finalize, NONE, OTF2_REGION_ROLE_UNKNOWN)                            \
    X(Send, SEND, OTF2_REGION_ROLE_POINT2POINT) X(Recv, RECV, OTF2_REGION_ROLE_POINT2POINT)                        \
    X(Isend, ISEND, OTF2_REGION_ROLE_POINT2POINT) X(Irecv, IRECV, OTF2_REGION_ROLE_POINT2POINT)                    \
    X(Wait, WAIT, OTF2_REGION_ROLE_POINT2POINT) X(Waitany, WAITANY, OTF2_REGION_ROLE_POINT2POINT)                  \
    X(Waitall, WAITALL, OTF2_REGION_ROLE_POINT2POINT) X(Test, TEST, OTF2_REGION_ROLE_POINT2POINT)                  \
    X(Sendrecv, SENDRECV, OTF2_REGION_ROLE_POINT2POINT) X(Probe, PROBE, OTF2_REGION_ROLE_POINT2POINT)              \
    X(Iprobe, IPROBE, OTF2_REGION_ROLE_POINT2POINT) X(Barrier, BARRIER, OTF2_REGION_ROLE_BARRIER)                  \
    X(Bcast, BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL) X(Allreduce, ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL)          \
    X(Reduce, REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE)                                                               \
    X(Win_create, WIN_CREATE, OTF2_REGION_ROLE_RMA) X(Win_free, WIN_FREE, OTF2_REGION_ROLE_RMA)                    \
    X(Win_lock, WIN_LOCK, OTF2_REGION_ROLE_RMA) X(Win_unlock, WIN_UNLOCK, OTF2_REGION_ROLE_RMA)                    \
    X(Win_fence, WIN_FENCE, OTF2_REGION_ROLE_RMA) X(Put, PUT, OTF2_REGION_ROLE_RMA)

#define NUMBER(name, unused, role) CALL_##name,
enum { CALLS(NUMBER) ALL_CALLS };
#define NAME(name, unused, role) "MPI_" #name,
static const char *const call_names[] = {CALLS(NAME)};
#define ROLE(name, unused, role) role,
static const OTF2_RegionRole call_roles[] = {CALLS(ROLE)};
static const char *const region_names[REGIONS] = {"work", "extra"};

// Requests that are under way, by their handles.
struct pending { MPI_Request request; uint64_t id; int receives, used; };
static struct pending pending[256];
static uint64_t last_request, last_match;

static OTF2_Archive *archive;
static OTF2_EvtWriter *writer;
static int rank, ranks, recording;
static uint64_t first, last;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    last = (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    return last;
}

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last) {
    (void)data, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *data, OTF2_FileType type, OTF2_LocationRef location) {
    (void)data, (void)type, (void)location;
    return now();
}

static void check(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "OTF2: %s\n", OTF2_Error_GetDescription(code));
        exit(1);
    }
}

static void begin(int region) {
    if (recording) check(OTF2_EvtWriter_Enter(writer, NULL, now(), region));
}

static void end(int region) {
    if (recording) check(OTF2_EvtWriter_Leave(writer, NULL, now(), region));
}

void enter(enum region region) { begin(ALL_CALLS + region); }
void leave(enum region region) { end(ALL_CALLS + region); }

static void start(void) {
    static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
    const char *folder = getenv("LOTSE_TRACE");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    archive = OTF2_Archive_Open(folder ? folder : "trace", "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    check(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    check(OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_NULL));
    check(OTF2_Archive_OpenEvtFiles(archive));
    writer = OTF2_Archive_GetEvtWriter(archive, rank);
    PMPI_Barrier(MPI_COMM_WORLD);
    recording = 1;
    first = now();
}

static void define(uint64_t begin_time, uint64_t end_time, const uint64_t *events) {
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t members[64];
    uint32_t string = 0;
    char name[32];
    check(OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, begin_time, end_time - begin_time + 1,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    const uint32_t empty = string++, node = string++;
    check(OTF2_GlobalDefWriter_WriteString(out, empty, ""));
    check(OTF2_GlobalDefWriter_WriteString(out, node, "machine"));
    for (int region = 0; region < ALL_CALLS + REGIONS; region++) {
        const int is_call = region < ALL_CALLS;
        const char *text = is_call ? call_names[region] : region_names[region - ALL_CALLS];
        check(OTF2_GlobalDefWriter_WriteString(out, string, text));
        check(OTF2_GlobalDefWriter_WriteRegion(
            out, region, string, string, empty, is_call ? call_roles[region] : OTF2_REGION_ROLE_FUNCTION,
            is_call ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, empty, 0, 0));
        string++;
    }
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, node, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (int i = 0; i < ranks; i++) {
        snprintf(name, sizeof name, "rank %d", i);
        check(OTF2_GlobalDefWriter_WriteString(out, string, name));
        check(OTF2_GlobalDefWriter_WriteLocationGroup(out, i, string, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        check(OTF2_GlobalDefWriter_WriteLocation(out, i, string++, OTF2_LOCATION_TYPE_CPU_THREAD, events[i], i));
        members[i] = i;
    }
    check(OTF2_GlobalDefWriter_WriteGroup(out, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, ranks, members));
    check(OTF2_GlobalDefWriter_WriteGroup(out, 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, ranks, members));
    check(OTF2_GlobalDefWriter_WriteComm(out, 0, empty, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteRmaWin(out, 0, empty, 0, OTF2_RMA_WIN_FLAG_NONE));
}

static void stop(void) {
    uint64_t count = 0, begin_time, end_time, events[64];
    recording = 0;
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &count));
    check(OTF2_Archive_CloseEvtWriter(archive, writer));
    check(OTF2_Archive_CloseEvtFiles(archive));
    check(OTF2_Archive_OpenDefFiles(archive));
    check(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, rank)));
    check(OTF2_Archive_CloseDefFiles(archive));
    PMPI_Reduce(&first, &begin_time, 1, MPI_UINT64_T, MPI_MIN, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&last, &end_time, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    PMPI_Gather(&count, 1, MPI_UINT64_T, events, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) define(begin_time, end_time, events);
    PMPI_Barrier(MPI_COMM_WORLD);
    check(OTF2_Archive_Close(archive));
}

static uint64_t bytes(int count, MPI_Datatype type) {
    int size;
    PMPI_Type_size(type, &size);
    return (uint64_t)count * size;
}

static void sent(int to, int tag, uint64_t length) {
    check(OTF2_EvtWriter_MpiSend(writer, NULL, now(), to, 0, tag, length));
}

static void received(const MPI_Status *status) {
    int length;
    PMPI_Get_count(status, MPI_BYTE, &length);
    check(OTF2_EvtWriter_MpiRecv(writer, NULL, now(), status->MPI_SOURCE, 0, status->MPI_TAG, length));
}

static uint64_t post(MPI_Request request, int receives) {
    struct pending *free_one = pending;
    while (free_one->used) free_one++;
    *free_one = (struct pending){request, ++last_request, receives, 1};
    return last_request;
}

// A handle is cleared by its completion: it is looked up before, and completed after.
static struct pending *posted(MPI_Request request) {
    for (struct pending *one = pending; one < pending + 256; one++)
        if (one->used && one->request == request) return one;
    return NULL;
}

static void completed(struct pending *one, const MPI_Status *status) {
    if (!one) return;
    one->used = 0;
    if (one->receives) {
        int length;
        PMPI_Get_count(status, MPI_BYTE, &length);
        check(OTF2_EvtWriter_MpiIrecv(writer, NULL, now(), status->MPI_SOURCE, 0, status->MPI_TAG, length, one->id));
    } else {
        check(OTF2_EvtWriter_MpiIsendComplete(writer, NULL, now(), one->id));
    }
}

static void collective_begin(void) { check(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, now())); }

static void collective_end(OTF2_CollectiveOp op, uint32_t root, uint64_t length) {
    check(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, now(), op, 0, root, length, length));
}

int MPI_Init(int *argc, char ***argv) {
    const int result = PMPI_Init(argc, argv);
    start();
    begin(CALL_Init);
    end(CALL_Init);
    return result;
}

int MPI_Finalize(void) {
    begin(CALL_Finalize);
    end(CALL_Finalize);
    stop();
    return PMPI_Finalize();
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    begin(CALL_Send);
    sent(to, tag, bytes(count, type));
    const int result = PMPI_Send(data, count, type, to, tag, comm);
    end(CALL_Send);
    return result;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status own;
    begin(CALL_Recv);
    const int result = PMPI_Recv(data, count, type, from, tag, comm, &own);
    received(&own);
    end(CALL_Recv);
    if (status != MPI_STATUS_IGNORE) *status = own;
    return result;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    begin(CALL_Isend);
    const uint64_t at = now();
    const int result = PMPI_Isend(data, count, type, to, tag, comm, request);
    check(OTF2_EvtWriter_MpiIsend(writer, NULL, at, to, 0, tag, bytes(count, type), post(*request, 0)));
    end(CALL_Isend);
    return result;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    begin(CALL_Irecv);
    const int result = PMPI_Irecv(data, count, type, from, tag, comm, request);
    check(OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, now(), post(*request, 1)));
    end(CALL_Irecv);
    return result;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    MPI_Status own;
    begin(CALL_Wait);
    struct pending *one = posted(*request);
    const int result = PMPI_Wait(request, &own);
    completed(one, &own);
    end(CALL_Wait);
    if (status != MPI_STATUS_IGNORE) *status = own;
    return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int *which, MPI_Status *status) {
    struct pending *ones[64];
    MPI_Status own;
    begin(CALL_Waitany);
    for (int i = 0; i < count; i++) ones[i] = posted(requests[i]);
    const int result = PMPI_Waitany(count, requests, which, &own);
    if (*which != MPI_UNDEFINED) completed(ones[*which], &own);
    end(CALL_Waitany);
    if (status != MPI_STATUS_IGNORE) *status = own;
    return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    struct pending *ones[64];
    MPI_Status own[64];
    begin(CALL_Waitall);
    for (int i = 0; i < count; i++) ones[i] = posted(requests[i]);
    const int result = PMPI_Waitall(count, requests, own);
    for (int i = 0; i < count; i++) completed(ones[i], &own[i]);
    end(CALL_Waitall);
    for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < count; i++) statuses[i] = own[i];
    return result;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    MPI_Status own;
    begin(CALL_Test);
    struct pending *one = posted(*request);
    const int result = PMPI_Test(request, done, &own);
    if (*done) completed(one, &own);
    else if (one) check(OTF2_EvtWriter_MpiRequestTest(writer, NULL, now(), one->id));
    end(CALL_Test);
    if (*done && status != MPI_STATUS_IGNORE) *status = own;
    return result;
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *other, int most,
                 MPI_Datatype other_type, int from, int other_tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status own;
    begin(CALL_Sendrecv);
    sent(to, tag, bytes(count, type));
    const int result =
        PMPI_Sendrecv(data, count, type, to, tag, other, most, other_type, from, other_tag, comm, &own);
    received(&own);
    end(CALL_Sendrecv);
    if (status != MPI_STATUS_IGNORE) *status = own;
    return result;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
    begin(CALL_Probe);
    const int result = PMPI_Probe(from, tag, comm, status);
    end(CALL_Probe);
    return result;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    begin(CALL_Iprobe);
    const int result = PMPI_Iprobe(from, tag, comm, found, status);
    end(CALL_Iprobe);
    return result;
}

int MPI_Barrier(MPI_Comm comm) {
    begin(CALL_Barrier);
    collective_begin();
    const int result = PMPI_Barrier(comm);
    collective_end(OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_ROOT_NONE, 0);
    end(CALL_Barrier);
    return result;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    begin(CALL_Bcast);
    collective_begin();
    const int result = PMPI_Bcast(data, count, type, root, comm);
    collective_end(OTF2_COLLECTIVE_OP_BCAST, root, bytes(count, type));
    end(CALL_Bcast);
    return result;
}

int MPI_Reduce(const void *data, void *sum, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    begin(CALL_Reduce);
    collective_begin();
    const int result = PMPI_Reduce(data, sum, count, type, op, root, comm);
    collective_end(OTF2_COLLECTIVE_OP_REDUCE, root, bytes(count, type));
    end(CALL_Reduce);
    return result;
}

int MPI_Allreduce(const void *data, void *sum, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    begin(CALL_Allreduce);
    collective_begin();
    const int result = PMPI_Allreduce(data, sum, count, type, op, comm);
    collective_end(OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_COLLECTIVE_ROOT_NONE, bytes(count, type));
    end(CALL_Allreduce);
    return result;
}

static void window_begin(void) { check(OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, now())); }

static void window_end(OTF2_CollectiveOp op) {
    const OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_MEMORY | OTF2_RMA_SYNC_LEVEL_PROCESS;
    check(OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, now(), op, level, 0, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window) {
    begin(CALL_Win_create);
    window_begin();
    const int result = PMPI_Win_create(base, size, unit, info, comm, window);
    check(OTF2_EvtWriter_RmaWinCreate(writer, NULL, now(), 0));
    window_end(OTF2_COLLECTIVE_OP_CREATE_HANDLE);
    end(CALL_Win_create);
    return result;
}

int MPI_Win_free(MPI_Win *window) {
    begin(CALL_Win_free);
    window_begin();
    const int result = PMPI_Win_free(window);
    check(OTF2_EvtWriter_RmaWinDestroy(writer, NULL, now(), 0));
    window_end(OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
    end(CALL_Win_free);
    return result;
}

int MPI_Win_fence(int assertion, MPI_Win window) {
    begin(CALL_Win_fence);
    window_begin();
    const int result = PMPI_Win_fence(assertion, window);
    window_end(OTF2_COLLECTIVE_OP_BARRIER);
    end(CALL_Win_fence);
    return result;
}

int MPI_Win_lock(int type, int target, int assertion, MPI_Win window) {
    const OTF2_LockType lock = type == MPI_LOCK_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
    begin(CALL_Win_lock);
    check(OTF2_EvtWriter_RmaRequestLock(writer, NULL, now(), 0, target, 0, lock));
    const int result = PMPI_Win_lock(type, target, assertion, window);
    check(OTF2_EvtWriter_RmaAcquireLock(writer, NULL, now(), 0, target, 0, lock));
    end(CALL_Win_lock);
    return result;
}

int MPI_Win_unlock(int target, MPI_Win window) {
    begin(CALL_Win_unlock);
    const int result = PMPI_Win_unlock(target, window);
    check(OTF2_EvtWriter_RmaReleaseLock(writer, NULL, now(), 0, target, 0));
    end(CALL_Win_unlock);
    return result;
}

int MPI_Put(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
    begin(CALL_Put);
    check(OTF2_EvtWriter_RmaPut(writer, NULL, now(), 0, target, bytes(count, type), ++last_match));
    const int result = PMPI_Put(data, count, type, target, place, target_count, target_type, window);
    check(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, now(), 0, last_match));
    end(CALL_Put);
    return result;
}
