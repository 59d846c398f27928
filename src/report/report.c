/* From a run folder to report.html and figures: load the run, compute the maps, write. */
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "base/watch.h"
#include "report/figures.h"
#include "report/page.h"
#include "run/folder_lock.h"
#include "decant/report.h"

void decant_report_options_init(decant_report_options *options, size_t struct_size) {
    const decant_report_options plain = {.struct_size = sizeof plain};
    decant__struct_init(options, struct_size, &plain, sizeof plain);
}

decant_status decant_report_write(const char *folder, const decant_dataset *data,
                                  const decant_report_options *options,
                                  const decant_monitor *monitor) {
    REQUIRE(folder);
    decant_status status = DECANT_OK;
    decant__study study = {0};
    decant__frames frames = {0};
    decant__exhibit exhibit = {0};
    decant__text path = {0};
    char *page = NULL;
    int lock = -1;
    decant_report_options how = {.struct_size = sizeof how};
    decant_monitor watcher;
    TRY(decant__struct_read(&how, sizeof how, options, "decant_report_options"));
    TRY(decant__monitor_read(&watcher, monitor));
    TRY(decant__folder_lock(folder, &lock));
    TRY(decant__study_open(&study, folder, data));
    if (study.missing != NULL && how.without_rows != NULL)
        how.without_rows(study.missing, how.user);
    TRY(decant__exhibit_make(&exhibit, &study, how.image_width, how.image_height));
    TRY(decant__frames_make(&frames, &study, how.threads, &watcher));
    decant__text_print(&path, "%s/report.html", folder);
    TRY(decant__text_take(&path, &page));
    TRY(decant__page_write(page, &study, &frames, &exhibit));
    if (how.figure != NULL) TRY(decant__figures_draw(&study, &frames, &exhibit, &how));
done:
    decant__free(page);
    decant__text_free(&path);
    decant__exhibit_free(&exhibit);
    decant__frames_free(&frames);
    decant__study_close(&study);
    decant__folder_unlock(lock);
    return status;
}
