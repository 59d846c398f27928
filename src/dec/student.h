/* The phase after refinement: a second network is taught its clusters. */
#ifndef DECANT_DEC_STUDENT_H
#define DECANT_DEC_STUDENT_H

#include "dec/job.h"
#include "nn/classifier.h"

/* Does this job have a student? */
int decant__student_wanted(const decant__job *job);

/* Its layers; k must be known. */
decant_status decant__student_plan(const decant__job *job, decant__classifier *plan);

#endif
