#ifndef DECANT_TESTS_WIDE_KERNEL_H
#define DECANT_TESTS_WIDE_KERNEL_H

#include "linalg/kernel.h"

const decant__kernel *wide_kernel(void);

#endif
