"""Looks at pages in Chromium: report.py PICTURES_RUN TEXTS_RUN TABLE_RUN RESULTS [FOLDER for screenshots]"""
import base64
import json
import os
import re
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

OPENS_IN, REACTS_IN = 2.0, 0.1  # seconds
TRIES = 5  # the machine may be busy with something else: the best of these counts


def open_browser():
    options = Options()
    for flag in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Page:
    """One page, in one browser for all of them."""

    def __init__(self, browser, folder, file="report.html"):
        self.browser, self.url = browser, "file://" + os.path.abspath(os.path.join(folder, file))
        for log in ("browser", "performance"):  # what is left of the page before
            browser.get_log(log)

    def open(self, width=1400, height=1500, scheme="light"):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.resize(width, height)
        self.browser.get(self.url)
        if self.all("script"):
            assert self.script("return document.documentElement.dataset.ready") == "yes", "the script did not come to its end"

    def resize(self, width, height):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def drawing(self):
        return self.script("return document.getElementById('map').toDataURL()")

    def wait(self, what, condition):
        end = time.time() + 5
        while time.time() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError("in 5 seconds it did not happen that " + what)

    def screenshot(self, path):
        height = self.script("return document.documentElement.scrollHeight")
        width = self.script("return innerWidth")
        self.resize(width, min(height, 7000))
        time.sleep(0.4)
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]))


def check_quiet(page):
    """No word on the console, and nothing fetched but the file itself."""
    words = [entry for entry in page.browser.get_log("browser")]
    assert not words, "the console says %s" % words
    for entry in page.browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            assert url == page.url or url.startswith("data:image/"), "the page asks for " + url


def check_policy(page):
    """What is put into the page later does not run."""
    page.script("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
    assert page.script("return window.ran") is None, "a script without the nonce ran"
    page.browser.get_log("browser")  # the browser says so: that is as it should be


def hover(page):
    """Moves over the map until an item shows."""
    box = page.find("#map").rect
    for step in range(400):
        x = ((step * 0.618) % 1 - 0.5) * box["width"] * 0.9
        y = ((step * 0.3819) % 1 - 0.5) * box["height"] * 0.9
        ActionChains(page.browser, duration=0).move_to_element_with_offset(page.find("#map"), int(x), int(y)).perform()
        if page.find("#tip").is_displayed():
            return page.find("#tip")
    raise AssertionError("no point of the map shows its item")


def check_slider(page):
    slider = page.find("#slider")
    before, last = page.drawing(), int(slider.get_attribute("max"))
    assert last >= 4, "only %d updates" % last
    slider.send_keys(Keys.HOME)
    page.wait("the map shows the first update", lambda: page.find("#map").get_attribute("data-frame") == "0")
    time.sleep(0.6)
    first = page.drawing()
    assert first != before, "the slider moves nothing"
    slider.send_keys(Keys.ARROW_RIGHT)
    time.sleep(0.6)
    assert page.drawing() != first, "an arrow key moves nothing"
    assert "iteration" in page.find("#when").text
    slider.send_keys(Keys.END)
    time.sleep(0.6)
    assert page.drawing() == before, "the way back ends elsewhere"


def check_alone(page):
    everything = page.drawing()
    button = page.all("#legend button")[1]
    button.send_keys(Keys.ENTER)
    time.sleep(0.2)
    alone = page.drawing()
    assert alone != everything, "a cluster is not kept alone"
    assert page.all("#legend button")[1].get_attribute("aria-pressed") == "true"
    ActionChains(page.browser).send_keys(Keys.ESCAPE).perform()
    time.sleep(0.2)
    assert page.drawing() == everything, "Escape does not bring the others back"
    tip = hover(page)
    ActionChains(page.browser).click().perform()
    time.sleep(0.2)
    assert page.all("#legend button[aria-pressed=true]"), "a click into a cluster does not hide the other clusters"
    ActionChains(page.browser).send_keys(Keys.ESCAPE).perform()
    assert not tip.is_displayed(), "Escape leaves the item standing"


def check_zoom(page):
    whole = page.drawing()
    page.find("#zoom-in").click()
    time.sleep(0.2)
    near = page.drawing()
    assert near != whole, "nothing grows"
    ActionChains(page.browser).drag_and_drop_by_offset(page.find("#map"), 60, 30).perform()
    time.sleep(0.2)
    assert page.drawing() != near, "the map cannot be dragged"
    page.find("#zoom-all").click()
    ActionChains(page.browser).move_to_element(page.find("h1")).perform()
    time.sleep(0.2)
    assert page.drawing() == whole, "the whole map does not come back"


def check_speed(page):
    opening, reacting = [], []
    for _ in range(TRIES):
        began = time.time()
        page.open()
        opening.append(time.time() - began)
        for frame in range(TRIES):
            reacting.append(page.browser.execute_async_script("""
                const done = arguments[1], slider = document.getElementById("slider");
                slider.value = arguments[0];
                const began = performance.now();
                slider.dispatchEvent(new Event("input"));
                requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - began) / 1000)));""", frame))
    print("opens in %.2f s, reacts in %.3f s (best of %d and %d)" % (min(opening), min(reacting), len(opening), len(reacting)))
    assert min(opening) < OPENS_IN and min(reacting) < REACTS_IN, "too slow"


def check_widths(page, screens, name):
    for width, scheme in ((1400, "light"), (1400, "dark"), (400, "light"), (400, "dark")):
        page.open(width, 900, scheme)
        assert page.script("return document.documentElement.scrollWidth") <= width, "wider than %d pixels" % width
        ground = page.script("return getComputedStyle(document.documentElement).backgroundColor")
        assert (sum(int(c) for c in ground[4:-1].split(",")) < 200) == (scheme == "dark"), ground
        if screens:
            page.screenshot(os.path.join(screens, "%s-%d-%s.png" % (name, width, scheme)))


def check_pictures(page):
    page.open()
    check_quiet(page)
    assert "of them agree with the known classes" in page.find(".answer").text
    assert len(page.all(".card")) == 10 and len(page.all(".card .pictures canvas")) == 200
    painted = page.script("""const c = document.querySelector(".card .pictures canvas");
        return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 < 3 && v > 100)""")
    assert painted, "a picture is black"
    assert len(page.all("#confusion tbody tr")) == 10
    assert page.find("#training").get_attribute("open") is None, "training details are not folded away"
    page.find("#training > summary").click()
    page.wait("the gradients are drawn", lambda: page.script("return document.getElementById('gradient').width") > 300)
    page.find("#training > summary").click()
    assert len(page.all("#curves .curve")) == 3
    tip = hover(page)
    assert tip.find_elements(By.TAG_NAME, "canvas") and "Cluster" in tip.text and "row" in tip.text, tip.text
    ActionChains(page.browser).move_to_element(page.find("h1")).perform()
    page.find("#colour input[value=class]").find_element(By.XPATH, "..").click()
    assert [b.text.split()[0] for b in page.all("#legend button")] == [str(c) for c in range(10)]
    page.find("#colour input[value=cluster]").find_element(By.XPATH, "..").click()
    check_slider(page)
    check_alone(page)
    check_zoom(page)
    check_speed(page)
    check_quiet(page)
    check_policy(page)


def check_texts(page):
    page.open()
    check_quiet(page)  # the onerror of an image would have asked for it
    assert page.script("return document.scripts.length") == 2, "a text became a script"
    assert not page.all("main img, main i i"), "a text became markup"
    shown = page.script("return [...document.querySelectorAll('.texts li')].map(e => e.textContent).join(' ')")
    assert "<script>alert(1)</script>" in shown, "a text is missing: " + shown[:300]
    assert "<i>sport" in page.find("#confusion thead").text
    assert len(page.all(".stems span")) >= 15
    assert len(hover(page).find_elements(By.TAG_NAME, "p")) == 1
    check_policy(page)


def saved(page, button):
    """What a click on the button would save, as lines."""
    page.script("""window.saved = null; HTMLAnchorElement.prototype.click = function () {
        window.saved = decodeURIComponent(this.href.slice(this.href.indexOf(",") + 1)); };""")
    page.find(button).click()
    return page.script("return window.saved").splitlines()


def check_names(page):
    """A cluster is named in the page; the name stays after the page is opened again, and can be saved."""
    def name_it(text):
        page.find("#cluster-1 .rename").click()
        field = page.find("#cluster-1 .namefield")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text + Keys.ENTER)
    name_it('a "b", <i>c</i>')
    for again in (False, True):
        if again:
            page.open()
        assert page.find("#cluster-1 header button").text == 'a "b", <i>c</i>'
        assert '1 a "b", <i>c</i>' in page.find("#legend").text
        assert page.find("#cluster-1 .number").text == "1", "a card with a name does not show its number"
        assert "decant name RUN --names" in page.find("#names-note").text
    assert saved(page, "#save-names") == ["cluster,name", '1,"a ""b"", <i>c</i>"']
    page.find("#cluster-1 .rename").click()
    page.find("#cluster-1 .namefield").send_keys("other" + Keys.ESCAPE)
    assert page.find("#cluster-1 header button").text == 'a "b", <i>c</i>', "Escape keeps what was typed"
    name_it(Keys.DELETE)
    assert page.find("#cluster-1 header button").text == "Cluster 1" and not page.find("#save-names").is_displayed()
    assert not page.find("#cluster-1 .number").is_displayed()


def check_order(page):
    def sizes():
        return [int(e.text.split(" rows")[0].replace("\u202f", "")) for e in page.all(".card .count")]
    usual = sizes()
    page.find("#order option[value=size]").click()
    assert sizes() == sorted(usual, reverse=True), sizes()
    page.find("#order option[value=number]").click()
    assert sizes() == usual


def check_search(page):
    page.find("#search").send_keys("7")
    assert page.all("#found li"), "no row has a 7 in it"
    assert "rows in this page" in page.find("#found-note").text
    page.find("#found button").click()
    assert page.find("#tip").is_displayed() and "confidence" in page.find("#tip").text
    page.find("#search").clear()
    page.find("#search").send_keys(" " + Keys.BACKSPACE)
    lines = saved(page, "#save-rows")
    count = page.script("return JSON.parse(document.getElementById('data').textContent).points.count")
    assert lines[0].startswith("id,cluster,confidence") and len(lines) == count + 1, lines[:2]
    page.all("#legend button")[0].click()
    one = saved(page, "#save-rows")
    assert 1 < len(one) < len(lines) and all(line.split(",")[1] == "0" for line in one[1:]), one[:3]
    page.all("#legend button")[0].click()


def check_paper(page):
    """On paper the map is light, and all parts are open but the further rows of many clusters; afterwards as they were."""
    corner = """const pen = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
        pen.drawImage(document.getElementById("map"), 0, 0, 1, 1, 0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data]"""
    page.open(1400, 900, "dark")
    page.wait("the map is dark", lambda: 0 < sum(page.script(corner)[:3]) < 200)
    page.script("dispatchEvent(new Event('beforeprint'))")
    assert page.script(corner) == [255, 255, 255, 255], page.script(corner)
    assert page.all("details[open]") and not page.all("details:not([open]):not(.card *)")
    assert page.all(".card details:not([open])"), "20 clusters with all their rows"
    page.script("dispatchEvent(new Event('afterprint'))")
    page.wait("the map is dark again", lambda: sum(page.script(corner)[:3]) < 200)
    assert not page.all("details[open]")


def check_spreads(page):
    """The columns that tell the clusters apart come first, and a mean is the one on the card."""
    shares = [int(line.text.split("\u2009")[0]) for line in page.all(".spread figcaption span")]
    assert len(shares) > 1 and shares == sorted(shares, reverse=True), shares
    means = page.script("""
        const data = JSON.parse(document.getElementById("data").textContent);
        return data.spreads.flatMap(spread => spread.means.map((mean, c) =>
            [mean, (data.clusters[c].described || []).find(d => d.column === spread.name)?.mean]))""")
    pairs = [(a, b) for a, b in means if isinstance(b, (int, float))]
    assert pairs and all(abs(a - b) <= 1e-4 * (1 + abs(b)) for a, b in pairs), pairs[:5]


def check_table(page):
    page.open()
    check_quiet(page)
    assert page.find("#spread-section").is_displayed() and page.all(".spread .spread-line path")
    check_spreads(page)
    check_names(page)
    check_order(page)
    check_search(page)
    check_paper(page)
    page.open()
    assert "with a mean confidence of" in page.find(".answer").text
    assert len(page.all(".card")) == 20 and len(page.all("#legend button")) == 20
    assert 10 <= int(page.find("#map").get_attribute("data-labels")) <= 20, "labels of the map"
    assert "<b>age</b>" in page.script("return document.querySelector('#cards').textContent")
    assert not page.all(".columns b")
    assert not page.find("#confusion-section").is_displayed()
    settings = {line.split()[0]: line for line in page.script("return document.querySelector('#settings').innerText").split("\n") if line.split()}
    assert "found for these rows" not in settings["layers"] and "found for these rows" not in settings["k"], settings
    check_quiet(page)


def check_time(browser, folder):
    """A time is rounded before it is split into minutes and seconds."""
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
        text = file.read()
    patched, count = re.subn(r'("seconds":\{[^}]*"total":)[0-9.e+-]+', r"\g<1>299.8", text)
    assert count == 1, "the page has no total time"
    with open(os.path.join(folder, "report-time.html"), "w", encoding="utf-8") as file:
        file.write(patched)
    page = Page(browser, folder, "report-time.html")
    page.open()
    assert "5 min 0 s" in page.find("#tiles").text, page.find("#tiles").text


def check_results(page):
    """The paper's numbers, without data of ours."""
    page.open()
    check_quiet(page)
    assert [h.text[:7] for h in page.all("h2")] == ["Table 1", "Table 2", "Figure "]
    assert "0.8430" in page.find("#table2 table").text
    assert not page.all("script, .below")


def main():
    screens = sys.argv[5] if len(sys.argv) > 5 else None
    browser = open_browser()
    try:
        for run, check in zip(sys.argv[1:4], (check_pictures, check_texts, check_table)):
            page = Page(browser, run)
            check(page)
            check_widths(page, screens, os.path.basename(run))
            print("%s: fine" % run)
        check_time(browser, sys.argv[3])
        results = Page(browser, sys.argv[4], "results.html")
        check_results(results)
        check_widths(results, screens, "results")
        print("%s: fine" % sys.argv[4])
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
