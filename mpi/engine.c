#include "engine.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/watch.h"
#include "shared.h"

/* Counts of MPI are ints. */
enum { MAX_MESSAGE = 1 << 28, SPINS = 2000, TRIES = 1000, MAX_QUEUE = 64 };

static decant__comm self;
static char host[MPI_MAX_PROCESSOR_NAME + 1];
static engine_traffic traffic;
static float *received; /* what the partner sent */
static size_t received_capacity;

static void give_up(const char *why) {
    fprintf(stderr, "decant: rank %d on %s: %s\n", self.rank, host, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- sums ---- */

/* A thread that sleeps is woken in time also on a busy machine; one that yields is not. */
static void wait_both(MPI_Request request[2]) {
    const struct timespec pause = {0, 10000};
    MPI_Status status[2]; /* MPICH's word for none is an address that GCC warns of */
    int done = 0;
    for (int tries = 0; !done; tries++) {
        MPI_Testall(2, request, &done, status);
        if (!done && tries > TRIES) nanosleep(&pause, NULL);
    }
}

static void exchange(const void *out, size_t out_bytes, void *in, size_t in_bytes, int partner) {
    const char *from = out;
    char *to = in;
    traffic.summed += out_bytes;
    traffic.all += out_bytes;
    while (out_bytes > 0 || in_bytes > 0) {
        int give = (int)(out_bytes < MAX_MESSAGE ? out_bytes : MAX_MESSAGE);
        int take = (int)(in_bytes < MAX_MESSAGE ? in_bytes : MAX_MESSAGE);
        MPI_Request request[2];
        MPI_Irecv(to, take, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(from, give, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &request[1]);
        wait_both(request);
        from += give;
        to += take;
        out_bytes -= (size_t)give;
        in_bytes -= (size_t)take;
    }
}

static void reserve(size_t count) {
    if (count <= received_capacity) return;
    decant__free(received);
    received = decant__alloc_array(count, sizeof *received);
    received_capacity = count;
    if (received == NULL) give_up("memory ran out");
}

static size_t length(decant__slice slice) { return slice.end - slice.begin; }

/* By halves: with 2, 4, 8 ... ranks around it a rank adds to what will be its slice, and gives away
 * what will be its partner's. */
static void add_slices(float *x, size_t count) {
    reserve(count / 2 + 1);
    for (int step = 1; step < self.size; step *= 2) {
        int partner = self.rank ^ step;
        decant__slice own = decant__comm_slice(self.rank, 2 * step, count);
        decant__slice other = decant__comm_slice(partner, 2 * step, count);
        exchange(x + other.begin, length(other) * sizeof *x, received, length(own) * sizeof *x,
                 partner);
        for (size_t i = own.begin; i < own.end; i++) x[i] += received[i - own.begin];
    }
}

/* The same way back. */
static void spread_slices(float *x, size_t count) {
    for (int step = self.size / 2; step >= 1; step /= 2) {
        int partner = self.rank ^ step;
        decant__slice own = decant__comm_slice(self.rank, 2 * step, count);
        decant__slice other = decant__comm_slice(partner, 2 * step, count);
        exchange(x + own.begin, length(own) * sizeof *x, x + other.begin, length(other) * sizeof *x,
                 partner);
    }
}

static void sum_vector(float *x, size_t count) {
    add_slices(x, count);
    spread_slices(x, count);
}

static void sum_slices(const decant__comm *comm, float *x, size_t count) {
    (void)comm;
    double began = decant__seconds();
    add_slices(x, count);
    traffic.seconds += decant__seconds() - began;
}

static void share_slices(const decant__comm *comm, float *x, size_t count) {
    (void)comm;
    double began = decant__seconds();
    spread_slices(x, count);
    traffic.seconds += decant__seconds() - began;
}

static void barrier(const decant__comm *comm) {
    (void)comm;
    double began = decant__seconds();
    shared_barrier();
    traffic.seconds += decant__seconds() - began;
}

/* ---- sums while the caller goes on ---- */

/* A thread of its own adds the vectors, in the order of their begin. The caller talks to MPI again
 * only when it has finished them. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct {
        float *x;
        size_t count;
    } vector[MAX_QUEUE];
    size_t begun, added;
    int running; /* 0: there is no such thread, and sums are added at once */
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *add_vectors(void *context) {
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (queue.added == queue.begun) pthread_cond_wait(&queue.changed, &queue.lock);
        float *x = queue.vector[queue.added % MAX_QUEUE].x;
        size_t count = queue.vector[queue.added % MAX_QUEUE].count;
        pthread_mutex_unlock(&queue.lock);
        sum_vector(x, count);
        pthread_mutex_lock(&queue.lock);
        queue.added++;
        pthread_cond_broadcast(&queue.changed);
    }
    return context;
}

static void begin_sum(const decant__comm *comm, float *x, size_t count) {
    (void)comm;
    double began = decant__seconds();
    if (queue.running) {
        pthread_mutex_lock(&queue.lock);
        while (queue.begun - queue.added == MAX_QUEUE)
            pthread_cond_wait(&queue.changed, &queue.lock);
        queue.vector[queue.begun % MAX_QUEUE].x = x;
        queue.vector[queue.begun++ % MAX_QUEUE].count = count;
        pthread_cond_broadcast(&queue.changed);
        pthread_mutex_unlock(&queue.lock);
    } else {
        sum_vector(x, count);
    }
    traffic.seconds += decant__seconds() - began;
}

static void finish_sums(const decant__comm *comm) {
    (void)comm;
    double began = decant__seconds();
    pthread_mutex_lock(&queue.lock);
    while (queue.added < queue.begun) pthread_cond_wait(&queue.changed, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
    traffic.seconds += decant__seconds() - began;
}

static int are_on_one_host(void) {
    int size;
    MPI_Comm local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_size(local, &size);
    MPI_Comm_free(&local);
    return size == self.size;
}

/* Between processes of one host a sum is work, which the cores have enough of; between hosts it is
 * mostly waiting. DECANT_MPI_OVERLAP=1 or 0 decides otherwise, for tests and measurements. */
static int are_sums_worth_a_thread(int one_host) {
    const char *wanted = getenv("DECANT_MPI_OVERLAP");
    return wanted != NULL ? strcmp(wanted, "0") != 0 : !one_host;
}

/* Where MPI lets two threads take turns. All ranks sum by slices or none, whatever threads they can
 * have: their messages must match. */
static void start_queue(int takes_turns) {
    pthread_t thread;
    if (self.size == 1) return;
    int one_host = are_on_one_host();
    self.slices = !are_sums_worth_a_thread(one_host);
    if (self.slices && one_host && shared_start(self.rank, self.size)) self.share = shared_new;
    if (self.slices || !takes_turns) return;
    if (pthread_create(&thread, NULL, add_vectors, NULL) != 0) return;
    pthread_detach(thread);
    queue.running = 1;
}

/* Few numbers: all of them at every level. */
static void sum_doubles(const decant__comm *comm, double *x, size_t count) {
    double other[8], began = decant__seconds();
    (void)comm;
    for (size_t from = 0; from < count; from += 8) {
        size_t some = count - from < 8 ? count - from : 8;
        for (int step = 1; step < self.size; step *= 2) {
            exchange(x + from, some * sizeof *x, other, some * sizeof *x, self.rank ^ step);
            for (size_t i = 0; i < some; i++) x[from + i] += other[i];
        }
    }
    traffic.seconds += decant__seconds() - began;
}

/* ---- the rest ---- */

/* One rank may work for minutes before it comes here: the others sleep, and leave it the cores. */
static void wait_gently(MPI_Request *request) {
    const struct timespec pause = {0, 200000};
    int done = 0;
    for (int spins = 0; !done; spins++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && spins > SPINS) nanosleep(&pause, NULL);
    }
}

static void broadcast(const decant__comm *comm, int root, void *bytes, size_t count) {
    char *at = bytes;
    (void)comm;
    if (self.rank == root) traffic.all += count;
    while (count > 0) {
        int some = (int)(count < MAX_MESSAGE ? count : MAX_MESSAGE);
        MPI_Request request;
        MPI_Ibcast(at, some, MPI_BYTE, root, MPI_COMM_WORLD, &request);
        wait_gently(&request);
        at += some;
        count -= (size_t)some;
    }
}

static void gather(const decant__comm *comm, void *bytes, const size_t *begin) {
    for (int r = 0; r < self.size; r++)
        broadcast(comm, r, (char *)bytes + begin[r], begin[r + 1] - begin[r]);
}

static int count_failed(const decant__comm *comm, int failed, int *lowest) {
    unsigned own = failed ? 1U << self.rank : 0, all = 0;
    MPI_Request request;
    int count = 0;
    MPI_Iallreduce(&own, &all, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD, &request);
    wait_gently(&request);
    *lowest = comm->size;
    for (int r = comm->size; r-- > 0;)
        if (all >> r & 1) *lowest = r, count++;
    return count;
}

engine_traffic engine_count(void) { return traffic; }

const decant__comm *engine_start(int takes_turns) {
    int length = 0;
    self = (decant__comm){.host = host,
                          .begin_sum = begin_sum,
                          .finish_sums = finish_sums,
                          .sum_slices = sum_slices,
                          .share_slices = share_slices,
                          .unshare = shared_free,
                          .barrier = barrier,
                          .sum_doubles = sum_doubles,
                          .broadcast = broadcast,
                          .gather = gather,
                          .count_failed = count_failed};
    MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self.size);
    MPI_Get_processor_name(host, &length);
    host[length] = '\0';
    if (self.size <= DECANT__MAX_RANKS && (self.size & (self.size - 1)) == 0) {
        start_queue(takes_turns);
        return &self;
    }
    decant__fail(DECANT_EINVAL, "expected 1, 2, 4, 8 or 16 processes, found %d", self.size);
    return NULL;
}
