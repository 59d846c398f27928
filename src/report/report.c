/* From a run folder to something to look at: gather, draw, write. */
#include "base/memory.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/page.h"

void decant_report_options_init(decant_report_options *options) {
    *options = (decant_report_options){.struct_size = sizeof *options};
}

decant_status decant_report_write(const char *folder, const decant_dataset *data,
                                  const decant_report_options *options,
                                  const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    decant__study study = {0};
    decant__frames frames = {0};
    decant__exhibit exhibit = {0};
    decant__text path = {0};
    char *page = NULL;
    decant_report_options usual;
    decant_report_options_init(&usual);
    if (options == NULL) options = &usual;
    if (options->struct_size != sizeof *options)
        return decant__fail(DECANT_EINVAL, "options were not filled by decant_report_options_init");
    TRY(decant__study_open(&study, folder, data));
    TRY(decant__exhibit_make(&exhibit, &study, options->image_width, options->image_height));
    TRY(decant__frames_make(&frames, &study, options->threads, monitor));
    decant__text_print(&path, "%s/report.html", folder);
    TRY(decant__text_take(&path, &page));
    TRY(decant__page_write(page, &study, &frames, &exhibit));
    if (options->figure != NULL) TRY(decant__figures_draw(&study, &frames, &exhibit, options));
done:
    decant__free(page);
    decant__text_free(&path);
    decant__exhibit_free(&exhibit);
    decant__frames_free(&frames);
    decant__study_close(&study);
    return status;
}
