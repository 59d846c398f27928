"""README's picture of a report, from its map on: picture.py RUN FILE.png"""
import sys

from report import Page, open_browser

browser = open_browser()
page = Page(browser, sys.argv[1])
page.open(1280, 1310)
page.script("document.getElementById('map-section').scrollIntoView()")
browser.save_screenshot(sys.argv[2])
browser.quit()
