/* Normalised cuts (Shi and Malik 2000; Ng, Jordan and Weiss 2002; Yu and Shi 2003): the k
 * eigenvectors of I - D^-1/2 A D^-1/2 with the smallest eigenvalues, rows scaled to length 1, then
 * a rotation or k-means. Scaling by D^-1/2 before would make no difference. */
#include "base/memory.h"
#include "cluster/cut.h"
#include "cluster/laplacian.h"

decant_status decant__spectral_fit(const decant__task *task, decant__clustering *found) {
    decant_status status = DECANT_OK;
    decant__csr s = {0};
    double *root = NULL;
    NEW_ARRAY(root, task->x->n);
    TRY(decant__laplacian_gaussian(task->graph, &s, root));
    decant__cut_problem problem = {
        .matrix = &s, .shift = 1, .sign = -1, .bound = 2, .kernel = root, .basis = 60, .unit = 1};
    TRY(decant__cut_graph(task, &problem, found));
    TRY(decant__found_average(task, found));
done:
    decant__csr_free(&s);
    decant__free(root);
    return status;
}
