/* Pages and feeds are often kept with their markup, also with its brackets written as entities
 * (&lt;b&gt;), or after something has eaten the '&' of "&#39;". Left in, "href", "quot" and "39"
 * become columns, and the documents of one publisher a cluster. */
#include "features/markup.h"

#include <string.h>

enum {
    MAX_TAG = 4096,  /* a '<' without its '>' in so many bytes is no tag */
    MAX_ENTITY = 32, /* the longest name that HTML has is 31 letters */
};

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Whether the text at `at` begins with `word`, which is in lower case. */
static int begins(const char *at, const char *end, const char *word) {
    for (; *word != '\0'; at++, word++)
        if (at == end || (is_letter(*at) ? *at | 0x20 : *at) != *word) return 0;
    return 1;
}

/* Where `word` (lower case) is first found within MAX_TAG bytes, or NULL. */
static const char *find(const char *at, const char *end, const char *word) {
    if (end - at > MAX_TAG) end = at + MAX_TAG;
    for (; at < end; at++)
        if (begins(at, end, word)) return at;
    return NULL;
}

/* "&amp;", "&#39;", "&#x2019;"; also without the '&' if it is a number. */
static size_t entity(const char *at, const char *end) {
    const char *begin = at;
    if (end - at > MAX_ENTITY + 2) end = at + MAX_ENTITY + 2;
    if (*at == '&') at++;
    int number = at < end && *at == '#';
    if (number) at++;
    const char *name = at;
    while (at < end && (is_digit(*at) || (is_letter(*at) && (!number || *begin == '&')))) at++;
    return at > name && at < end && *at == ';' ? (size_t)(at + 1 - begin) : 0;
}

/* The bracket that opens (closes) a tag: its bytes, as itself or as an entity; 0 if it is none. */
static size_t bracket(const char *at, const char *end, char self, const char *name) {
    if (at < end && *at == self) return 1;
    return begins(at, end, name) ? strlen(name) : 0;
}

/* "<b>", "</b>", "<a href=...>", "<br/>", "<!-- ... -->", "<?xml ...?>", and the same with &lt; and
 * &gt;. A name must follow at once, and after it a blank or the end: "a < b" and "<3" are no tags.
 */
static size_t tag(const char *at, const char *end) {
    size_t open = bracket(at, end, '<', "&lt;");
    const char *inside = at + open;
    if (open == 0) return 0;
    if (begins(inside, end, "!--")) {
        const char *close = find(inside, end, "--");
        close = close != NULL ? find(close + 2, end, "-->") : NULL;
        return close != NULL ? (size_t)(close + 3 - at) : 0;
    }
    if (inside < end && (*inside == '/' || *inside == '!' || *inside == '?')) inside++;
    const char *name = inside;
    while (inside < end &&
           (is_letter(*inside) || (inside > name && (is_digit(*inside) || strchr(":-_", *inside)))))
        inside++;
    if (inside == name || inside == end) return 0;
    if (!is_blank(*inside) && *inside != '/' && !bracket(inside, end, '>', "&gt;")) return 0;
    if (end - inside > MAX_TAG) end = inside + MAX_TAG;
    for (; inside < end; inside++) {
        size_t close = bracket(inside, end, '>', "&gt;");
        if (close > 0) return (size_t)(inside - at) + close;
        if (bracket(inside, end, '<', "&lt;") > 0) return 0;
    }
    return 0;
}

/* Programs and styles in a page: from the tag to the end of what it holds. */
static size_t element(const char *at, const char *end) {
    static const char *const names[][2] = {{"<script", "</script"}, {"<style", "</style"}};
    size_t size = tag(at, end);
    for (size_t i = 0; i < sizeof names / sizeof *names && size > 0; i++) {
        if (!begins(at, end, names[i][0])) continue;
        for (const char *close = at + size; close < end; close++)
            if (begins(close, end, names[i][1])) return (size_t)(close - at) + tag(close, end);
    }
    return size;
}

/* "http://...", "www.example.org/...": up to a blank, a quote or a bracket. */
static size_t web_address(const char *at, const char *end) {
    static const char *const heads[] = {"http://", "https://", "ftp://", "www."};
    const char *begin = at;
    size_t head = 0;
    for (size_t i = 0; i < sizeof heads / sizeof *heads && head == 0; i++)
        if (begins(at, end, heads[i])) head = strlen(heads[i]);
    if (head == 0) return 0;
    for (at += head; at < end && !is_blank(*at) && strchr("\"'<>()[]{}", *at) == NULL; at++)
        if (begins(at, end, "&gt;") || begins(at, end, "&lt;") || begins(at, end, "&quot;")) break;
    return (size_t)(at - begin);
}

static int is_mail(char c) { return is_letter(c) || is_digit(c) || (c != 0 && strchr("._%+-", c)); }

/* "someone@example.org" */
static size_t mail_address(const char *at, const char *end) {
    const char *begin = at;
    while (at < end && is_mail(*at)) at++;
    if (at == begin || at == end || *at != '@') return 0;
    const char *host = ++at;
    size_t dots = 0;
    for (; at < end && (is_letter(*at) || is_digit(*at) || *at == '-' || *at == '.'); at++)
        dots += *at == '.' && at > host && at + 1 < end && is_letter(at[1]);
    return dots > 0 ? (size_t)(at - begin) : 0;
}

size_t decant__markup(const char *at, const char *end) {
    if (at == end) return 0;
    if (*at == '<' || *at == '&' || *at == '#') {
        size_t size = element(at, end);
        return size > 0 || *at == '<' ? size : entity(at, end);
    }
    size_t size = web_address(at, end);
    return size > 0 ? size : mail_address(at, end);
}
