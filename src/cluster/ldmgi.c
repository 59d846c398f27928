/* LDMGI, local discriminant models and global integration (Yang, Xu, Nie, Yan and Zhuang, IEEE TIP
 * 19, 2010): the sum of a Fisher criterion in the neighbourhood of each row,
 * min tr(G^T L G), G^T G = I; laplacian.h has L. The k eigenvectors of the smallest eigenvalues,
 * the constant one among them, become clusters by rotation. */
#include "base/memory.h"
#include "cluster/cut.h"
#include "cluster/laplacian.h"

decant_status decant__ldmgi_fit(const decant__task *task, decant__clustering *found) {
    decant_status status = DECANT_OK;
    size_t n = task->x->n;
    decant__csr l = {0};
    double *one = NULL;
    NEW_ARRAY(one, n);
    for (size_t i = 0; i < n; i++) one[i] = 1;
    TRY(decant__laplacian_local(task, task->graph->count, task->options->lambda, &l));
    decant__cut_problem problem = {.matrix = &l,
                                   .shift = 0,
                                   .sign = 1,
                                   .bound = decant__csr_bound(&l),
                                   .kernel = one,
                                   .basis = 80,
                                   .unit = 0};
    TRY(decant__cut_graph(task, &problem, found));
    TRY(decant__found_average(task, found));
done:
    decant__csr_free(&l);
    decant__free(one);
    return status;
}
