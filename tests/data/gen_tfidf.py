#!/usr/bin/env python3
"""Makes tfidf_reference.h: scikit-learn's tf-idf of a few texts. Needs scikit-learn; its output is kept.

    python3 gen_tfidf.py > tfidf_reference.h
"""
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

COLUMNS = 12
TEXTS = [
    "Shares of the oil company rose as oil prices rose on Monday",
    "The government said the budget deficit would fall, the minister said",
    "oil oil oil prices fall; the market fell",
    "Élan vital: naïve Привет МИР 2024",
    "The match ended in a draw, the second draw in a row",
    "nothing known here",
    "market prices and the budget: the government, the market, the minister",
]


def quoted(text):
    return '"' + "".join(c if ord(c) < 128 else "".join("\\%03o" % b for b in c.encode()) for c in text) + '"'


def main():
    counter = CountVectorizer()
    counts = counter.fit_transform(TEXTS)
    names = counter.get_feature_names_out()
    totals = np.asarray(counts.sum(axis=0)).ravel()
    best = sorted(range(len(names)), key=lambda i: (-totals[i], names[i]))[:COLUMNS]
    keep = sorted(best, key=lambda i: names[i])
    weigher = TfidfTransformer(sublinear_tf=True)
    rows = weigher.fit_transform(counts[:, keep]).toarray()
    print("/* Made by gen_tfidf.py from scikit-learn. */")
    print("enum { TFIDF_ROWS = %d, TFIDF_COLUMNS = %d };" % rows.shape)
    print("static const char *const tfidf_texts[TFIDF_ROWS] = {")
    for text in TEXTS:
        print("    %s," % quoted(text))
    print("};\nstatic const char *const tfidf_stems[TFIDF_COLUMNS] = {")
    print("    " + ", ".join(quoted(names[i]) for i in keep))
    print("};\nstatic const double tfidf_idf[TFIDF_COLUMNS] = {")
    print("    " + ", ".join(repr(float(x)) for x in weigher.idf_))
    print("};\nstatic const double tfidf_rows[TFIDF_ROWS][TFIDF_COLUMNS] = {")
    for row in rows:
        print("    {" + ", ".join(repr(float(x)) for x in row) + "},")
    print("};")


main()
