#include "base/resident.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* A fault brings in pages around the one that was touched: Linux maps 64 KiB at a time. */
enum { AROUND = 1 << 16 };

void decant__resident_release(const void *from, size_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)from + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)from + bytes) / page * page;
    /* Advice may be refused: then the pages stay, which is only a matter of memory. */
    if (end > begin) (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void decant__resident_touch(decant__resident *resident, size_t count, size_t size, int scattered) {
    size_t more = count * (scattered ? size + AROUND : size);
    if (resident->touched + more > resident->most) {
        decant__resident_release(resident->start, resident->bytes);
        resident->touched = 0;
    }
    resident->touched += more;
}
