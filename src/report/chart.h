/* Line plots: several series over one x axis, each with the left or the right y axis. */
#ifndef DECANT_REPORT_CHART_H
#define DECANT_REPORT_CHART_H

#include "report/svg.h"

typedef struct decant__series {
    const char *name;         /* in the legend; NULL: not there */
    const double *x, *y;      /* count; a point that is not finite leaves a gap */
    const double *low, *high; /* count: a band around y; NULL: none */
    size_t count;
    int right; /* 1: uses the right axis */
} decant__series;

typedef struct decant__chart {
    const char *title;
    const char *x_name, *y_name;
    const char *right_name; /* NULL: no right axis */
    const decant__series *series;
    size_t series_count;
    int log_x;             /* 1: ticks at powers of ten; only points with x > 0 are shown */
    double mark;           /* x of a vertical line */
    const char *mark_name; /* label of that line; NULL: no line */
} decant__chart;

/* A drawing of its own; free *text with decant__free. Series differ by colour and by the shape of
 * their marks. */
decant_status decant__chart_svg(const decant__chart *chart, char **text);

/* The distance of ticks, 1, 2 or 5 times a power of ten: at most `max` steps for a range. */
double decant__chart_step(double range, int max);

#endif
