/* Made by gen_tfidf.py from scikit-learn. */
enum { TFIDF_ROWS = 7, TFIDF_COLUMNS = 12 };
static const char *const tfidf_texts[TFIDF_ROWS] = {
    "Shares of the oil company rose as oil prices rose on Monday",
    "The government said the budget deficit would fall, the minister said",
    "oil oil oil prices fall; the market fell",
    "\303\211lan vital: na\303\257ve \320\237\321\200\320\270\320\262\320\265\321\202 \320\234\320\230\320\240 2024",
    "The match ended in a draw, the second draw in a row",
    "nothing known here",
    "market prices and the budget: the government, the market, the minister",
};
static const char *const tfidf_stems[TFIDF_COLUMNS] = {
    "budget", "draw", "fall", "government", "in", "market", "minister", "oil", "prices", "rose", "said", "the"
};
static const double tfidf_idf[TFIDF_COLUMNS] = {
    1.9808292530117262, 2.386294361119891, 1.9808292530117262, 1.9808292530117262, 2.386294361119891, 1.9808292530117262, 1.9808292530117262, 1.9808292530117262, 1.6931471805599454, 2.386294361119891, 2.386294361119891, 1.2876820724517808
};
static const double tfidf_rows[TFIDF_ROWS][TFIDF_COLUMNS] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5919788550257087, 0.2988540552526888, 0.7131537468473036, 0.0, 0.22728621211838979},
    {0.3158859066499317, 0.0, 0.3158859066499317, 0.3158859066499317, 0.0, 0.0, 0.3158859066499317, 0.0, 0.0, 0.0, 0.6443204800398461, 0.4309472066518413},
    {0.0, 0.0, 0.36375918951129876, 0.0, 0.0, 0.36375918951129876, 0.0, 0.7633895052243634, 0.31092929649912654, 0.0, 0.0, 0.2364697443311215},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.6606476647333884, 0.0, 0.0, 0.6606476647333884, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.35649589922556013},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.3332631196951969, 0.0, 0.0, 0.3332631196951969, 0.0, 0.5642635114965342, 0.3332631196951969, 0.0, 0.2848622669715762, 0.0, 0.0, 0.5169789721086241},
};
