#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__ /* known from here on */
#include <malloc.h>
#endif

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

/* Test hook: allocations counted, and which of them fails. Never set outside tests. */
static atomic_size_t allocations;
static atomic_size_t failing_allocation;

size_t decant__alloc_fail_at(size_t n) {
    atomic_store(&failing_allocation, n);
    return atomic_exchange(&allocations, 0);
}

static int may_allocate(size_t count, size_t size, size_t *bytes) {
    size_t number = atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1;
    if (number == atomic_load_explicit(&failing_allocation, memory_order_relaxed)) return 0;
    if (size != 0 && count > (SIZE_MAX - HUGE_PAGE) / size) return 0;
    *bytes = count * size;
    return 1;
}

static void *no_memory(size_t count, size_t size) {
    decant__fail(DECANT_ENOMEM, "out of memory: %zu items of %zu bytes could not be allocated",
                 count, size);
    return NULL;
}

/* Large arrays use huge pages if the system has them: this avoids TLB misses in products. */
static void *aligned(size_t bytes) {
    size_t alignment = bytes < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
    void *block = aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
#ifdef MADV_HUGEPAGE
    if (block != NULL && alignment == HUGE_PAGE)
        (void)madvise(block, bytes / alignment * alignment, MADV_HUGEPAGE);
#endif
    return block;
}

void *decant__alloc_array(size_t count, size_t size) {
    size_t bytes;
    if (!may_allocate(count, size, &bytes)) return no_memory(count, size);
    void *block = aligned(bytes);
    return block != NULL ? block : no_memory(count, size);
}

void *decant__alloc_zeroed(size_t count, size_t size) {
    void *block = decant__alloc_array(count, size);
    if (block != NULL) memset(block, 0, count * size);
    return block;
}

void *decant__realloc_array(void *block, size_t count, size_t size) {
    size_t bytes;
    if (block == NULL) return decant__alloc_array(count, size); /* nothing to copy */
    if (!may_allocate(count, size, &bytes)) return no_memory(count, size);
    /* realloc is fast: it extends in place or remaps pages. But it only guarantees an alignment of
     * 16 bytes. An aligned block is reserved first, so that a failure leaves the old block valid;
     * its pages cost nothing until they are written. */
    void *reserve = aligned(bytes);
    void *grown = reserve != NULL ? realloc(block, bytes + 1) : NULL;
    if (grown == NULL) {
        free(reserve);
        return no_memory(count, size);
    }
    if ((uintptr_t)grown % ALIGNMENT == 0) {
        free(reserve);
        return grown;
    }
    memcpy(reserve, grown, bytes);
    free(grown);
    return reserve;
}

void decant__free(void *block) { free(block); }

void decant__memory_trim(void) {
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

char *decant__copy_text(const char *text) {
    size_t length = strlen(text) + 1;
    char *copy = decant__alloc_array(length, 1);
    if (copy != NULL) memcpy(copy, text, length);
    return copy;
}
