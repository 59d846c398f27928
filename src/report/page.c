#include "report/page.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/payload.h"
#include "report/svg.h"

/* The text that replaces {{name}} in page.html. Every text is escaped, as HTML or as JSON without
 * <, > and &, so that no text of a user can end the element that it is in. */
typedef struct part {
    const char *name, *text;
} part;

static void put_value(decant__text *out, const part *parts, size_t count, const char *name,
                      size_t length) {
    for (size_t i = 0; i < count; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            decant__text_put(out, parts[i].text, strlen(parts[i].text));
}

static void fill_template(decant__text *out, const char *page, const part *parts, size_t count) {
    for (;;) {
        const char *open = strstr(page, "{{"), *close = open ? strstr(open, "}}") : NULL;
        if (close == NULL) break;
        decant__text_put(out, page, (size_t)(open - page));
        put_value(out, parts, count, open + 2, (size_t)(close - open - 2));
        page = close + 2;
    }
    decant__text_put(out, page, strlen(page));
}

static decant_status escape_html(const char *text, char **out) {
    decant__text html = {0};
    decant__svg_escape(&html, text);
    return decant__text_take(&html, out);
}

decant_status decant__page_write(const char *path, const decant__study *study,
                                 const decant__frames *frames, const decant__exhibit *exhibit) {
    decant_status status = DECANT_OK;
    decant__text out = {0};
    decant__payload payload = {0};
    char *title = NULL, *answer = NULL, nonce[40];
    TRY(decant__payload_make(&payload, study, frames, exhibit));
    TRY(escape_html(payload.title, &title));
    TRY(escape_html(payload.answer, &answer));
    snprintf(nonce, sizeof nonce, "%016llx%016llx",
             (unsigned long long)study->model->data_digest[0],
             (unsigned long long)study->model->data_digest[1]);
    /* The browser runs only scripts and styles with this nonce (Content-Security-Policy). It is the
     * digest of the data: the same run gives the same bytes, and somebody who wrote only a part of
     * the data cannot know it. */
    const part parts[] = {{"nonce", nonce},
                          {"title", title},
                          {"answer", answer},
                          {"css", (const char *)decant__page_css},
                          {"js", (const char *)decant__page_js},
                          {"data", payload.json}};
    fill_template(&out, (const char *)decant__page_html, parts, sizeof parts / sizeof *parts);
    if (out.failed) TRY(decant__fail(DECANT_ENOMEM, "memory ran out while %s was built", path));
    TRY(decant__file_write(path, out.bytes, out.length));
done:
    decant__payload_free(&payload);
    decant__free(title);
    decant__free(answer);
    decant__text_free(&out);
    return status;
}
