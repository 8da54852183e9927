#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Looks at `tilewright report` in a browser: charts, themes, a phone, paper, the keyboard.

  report_check.py PROGRAM [PICTURES]     a folder for screenshots, to be looked at

Exit status 77, skipped, where there is no chromium with chromedriver; under CI that is a failure.
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import report_data
import report_values
from browser import Browser, Missing
from png import colours_of

SKIPPED = 77
CHARTS = ["ladder", "sizes", "roofline", "occupancy", "sweep", "skinny", "batched", "long", "other", "errors", "tuning"]
MOST_SECONDS, MOST_ROWS, MOST_BYTES, MOST_MS, MOST_READY_MS = 2, 2000, 3e6, 1000, 3000
READY = "return 'ready' in document.documentElement.dataset"

faults = []
checked = 0


def expect(truth, sentence):
    global checked
    checked += 1
    if not truth:
        faults.append(sentence)


def report(program, *words, status=0):
    done = subprocess.run([program, "report", *map(str, words)], capture_output=True, text=True)
    expect(done.returncode == status, f"report {' '.join(map(str, words))}: status {done.returncode}, "
                                      f"not {status}: {done.stderr.strip()}")
    return done


def shown(browser, page):
    browser.open(page)
    browser.wait(READY)
    for message in browser.console():
        expect(False, f"{page.name}: the console says: {message['message']}")


def fits(browser, what):
    wide, view = browser.run("const root = document.documentElement; return [root.scrollWidth, root.clientWidth]")
    expect(wide <= view, f"{what}: {wide} pixels wide, and the view has {view}")


def check_charts(browser):
    for panel in CHARTS:
        drawn = browser.run("""
            return [...document.querySelectorAll(`#${arguments[0]} canvas`)].map(canvas => {
                const chart = Chart.getChart(canvas), area = chart.chartArea;
                return [chart.data.datasets.reduce((sum, each) => sum + each.data.filter(Boolean).length, 0),
                    area.right - area.left, canvas.getAttribute('aria-label')];
            })""", panel)
        expect(drawn and all(points > 0 and width > 200 and label for points, width, label in drawn),
               f"{panel}: points, width and label of its charts are {drawn}")
        rows = browser.run("""
            const details = document.querySelector(`#${arguments[0]} details.data`);
            details.open = true;
            return new Promise(done => setTimeout(() => done(details.querySelectorAll('tbody tr').length), 50))""", panel)
        expect(rows > 0, f"{panel}: its table has {rows} rows")
    expect(browser.run("return document.querySelectorAll('#heat td[style]').length") > 50, "the heat map is empty")
    expect(browser.run("return document.querySelectorAll('#counted tbody tr').length") > 40, "the table of counters is empty")


HOVERED = """
    const canvas = document.querySelector(`#${arguments[0]} canvas`);
    canvas.scrollIntoView({block: 'center', behavior: 'instant'});
    const chart = Chart.getChart(canvas), box = canvas.getBoundingClientRect(), area = chart.chartArea;
    const points = chart.data.datasets.flatMap((_, index) => chart.getDatasetMeta(index).data);
    const point = points.find(each => !each.skip && each.x > area.left + 20 && each.x < area.right - 5
        && each.y > area.top + 5 && each.y < area.bottom - 5) ?? points[0];
    return [box.x + point.x - (chart.config.type === 'bar' ? 2 : 0), box.y + point.y]"""
SHOWN = "const {tooltip} = Chart.getChart(document.querySelector(`#${arguments[0]} canvas`));"


def check_hover(browser):
    for panel in CHARTS:
        browser.point(*browser.run(HOVERED, panel))
        try:
            browser.wait(SHOWN + "return tooltip.opacity > 0 && tooltip.body.length > 0", panel, seconds=3)
            text = browser.run(SHOWN + "return [...tooltip.title, ...tooltip.body.flatMap(each => each.lines)].join(' ')", panel)
            expect(any(sign.isdigit() for sign in text) and "undefined" not in text and "NaN" not in text,
                   f"{panel}: its tooltip says '{text}'")
        except AssertionError:
            expect(False, f"{panel}: no tooltip where the pointer is")
        browser.point(1, 1)


def background(browser):
    return browser.run("return getComputedStyle(document.body).backgroundColor")


def check_themes(browser, page):
    browser.prefer(prefers_color_scheme="dark")
    dark = background(browser)
    browser.prefer(prefers_color_scheme="light")
    light = background(browser)
    expect(dark != light, f"dark mode has the background of light mode, {light}")
    for name, want in (("light", light), ("dark", dark), ("system", light)):
        browser.run("document.getElementById('theme').click()")
        got = background(browser)
        expect(got == want, f"theme {name}: background {got}, not {want}")
        label = browser.run("return document.getElementById('theme').textContent")
        expect(name in label, f"theme {name}: its button says '{label}'")
    ink = "Chart.getChart(document.querySelector('#ladder canvas')).options.scales.y.ticks.color"
    before = browser.run(f"return {ink}")
    browser.prefer(prefers_color_scheme="dark")
    try:  # they are drawn anew when the page is told
        browser.wait(f"return {ink} !== arguments[0]", before, seconds=5)
    except AssertionError:
        expect(False, "charts keep their colours in dark mode")
    shown(browser, page)


def check_table(browser):
    order = """
        const head = [...document.querySelectorAll('#rates th button')].find(each => each.textContent === 'GFLOP/s');
        if (arguments[0]) head.focus();
        return [[...document.querySelectorAll('#rates tbody tr')].map(row => Number(row.cells[2].textContent.replace(/,/g, ''))),
            head.parentElement.getAttribute('aria-sort')]"""
    browser.run(order, True)
    browser.press("Enter", 13)
    values, direction = browser.run(order, False)
    expect(direction == "descending" and values == sorted(values, reverse=True), f"Enter does not sort: {direction}, {values[:4]}")
    rows = browser.run("""
        const field = document.querySelector('#rates input');
        field.value = 'copy_engine';
        field.dispatchEvent(new Event('input'));
        return document.querySelectorAll('#rates tbody tr').length""")
    expect(rows == 1, f"the filter leaves {rows} rows")


def check_rung(browser):
    texts = browser.run("""
        const rung = document.getElementById('rung-k10');
        rung.open = true;
        return new Promise(done => setTimeout(() => done({
            pictures: rung.querySelectorAll('.tiles svg').length, counters: rung.querySelectorAll('.counters td').length,
            added: rung.querySelectorAll('.diff .plus').length, bars: rung.querySelectorAll('.bars .bar').length}), 50))""")
    expect(texts["pictures"] == 4 and texts["counters"] > 40 and texts["added"] > 10 and texts["bars"] == 3,
           f"rung k10 has {texts}")


def check_keyboard(browser):
    browser.run("window.scrollTo(0, 0); document.activeElement.blur()")
    seen = []
    for _ in range(12):
        browser.press("Tab", 9)
        seen.append(browser.run("""
            const active = document.activeElement, style = getComputedStyle(active);
            return [active.tagName, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]"""))
    expect(len({name for name, _ in seen}) > 1 and all(visible for _, visible in seen), f"focus by Tab: {seen}")


def check_pdf(browser, path):
    if not shutil.which("pdftotext"):
        expect(not os.environ.get("CI"), "no pdftotext (Debian: apt-get install poppler-utils)")
        return
    text = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True).stdout
    words = " ".join(text.split())
    ideas = browser.run("return JSON.parse(document.getElementById('data').textContent).rungs.rungs.map(rung => rung.idea)")
    missing = [idea for idea in ideas if " ".join(idea.split()) not in words]
    expect(not missing, f"{len(missing)} of {len(ideas)} ideas are not on paper, such as {missing[:1]}")
    expect("Counters" in words and "copy_engine" in words, "tables are not on paper")


def check_paper(browser, folder):
    browser.prefer(prefers_color_scheme="dark")
    browser.run("window.onafterprint = () => { window.printed = true }; window.addEventListener('beforeprint', () => {"
                " window.paper = getComputedStyle(document.body).backgroundColor })")
    before = browser.run("return document.querySelectorAll('details[open]').length")
    browser.paper(folder / "report.pdf")
    check_pdf(browser, folder / "report.pdf")
    opened = browser.run("return document.querySelectorAll('details[open]').length")
    expect(opened == before, f"{opened} details are open after printing, and {before} were before")
    expect(browser.run("return window.paper") == "rgb(255, 255, 255)", "paper is not white in dark mode")
    browser.prefer(prefers_color_scheme="light")


def check_everything(browser, program, folder, pictures):
    page = folder / "everything.html"
    planted = report_data.everything()
    report(program, report_data.write(folder / "everything.json", planted), "-o", page)
    text = page.read_text(encoding="utf-8")
    expect("<img src=x" not in text, "a name of the data became an element")
    browser.resize(1200)
    shown(browser, page)
    requests = browser.run("return performance.getEntriesByType('resource').map(each => each.name)")
    expect(not requests, f"the page asks for {requests}")
    expect(browser.run("return document.querySelectorAll('main section').length") >= 13, "panels are missing")
    expect(browser.run("return document.querySelectorAll('.missing').length") == 0, "a panel says that it has no data")
    expect(report_data.ODD.replace("\u2028", "") in browser.run("return document.getElementById('files').textContent").replace("\u2028", ""),
           "odd text is not shown as it is")
    fits(browser, "1200 pixels")
    check_charts(browser)
    report_values.check_values(browser, planted, expect)
    check_hover(browser)
    check_table(browser)
    check_rung(browser)
    check_keyboard(browser)
    check_themes(browser, page)
    check_paper(browser, folder)
    for name, width, theme in (("wide", 1200, "light"), ("dark", 1200, "dark"), ("phone", 390, "light")):
        browser.resize(width, mobile=width < 600)
        browser.prefer(prefers_color_scheme=theme)
        shown(browser, page)
        browser.run("document.getElementById('rung-k10').open = true; document.getElementById('rung-k4').open = true")
        fits(browser, f"{name}, {width} pixels")
        if pictures:
            height = browser.run("return document.documentElement.scrollHeight")
            for part, top in enumerate(range(0, height, 2000)):
                browser.picture(pictures / f"{name}-{part}.png", x=0, y=top, width=width, height=min(2000, height - top))
    browser.resize(1200)
    browser.prefer(prefers_color_scheme="light")


def check_comparison(browser, program, folder):
    before = report_data.everything()
    after = copy.deepcopy(before)
    for each in after["results"]:
        if each["rung"] == "k4" and each["gflops"]:
            each["gflops"] *= 1.2
            each["median_us"] /= 1.2
    page = folder / "comparison.html"
    report(program, "--compare", report_data.write(folder / "before.json", before),
           report_data.write(folder / "after.json", after), "-o", page)
    shown(browser, page)
    facts = browser.run("return [...document.querySelectorAll('#comparison .facts li')].map(each => each.textContent)")
    expect("3faster" in facts and not any("slower" in fact for fact in facts), f"the comparison says {facts}")
    texts = browser.run("return Chart.getChart(document.querySelector('#ladder canvas')).data.datasets[1].texts")
    expect(sum("\u25b2" in text for text in texts) == 1, f"the ladder marks {[text for text in texts if chr(0x25b2) in text]}")
    after["environment"] = {**after["environment"], "device": "NVIDIA A100-SXM4-80GB"}
    report(program, "--compare", folder / "before.json", report_data.write(folder / "other.json", after), "-o", page)
    shown(browser, page)
    expect(browser.run("return Boolean(document.querySelector('#comparison .devices'))"), "different devices are not told")
    report(program, folder / "before.json", folder / "other.json", "-o", page)
    shown(browser, page)
    legend = browser.run("return document.querySelectorAll('#ladder .legend li').length")
    expect(legend == 2, f"two devices have a legend of {legend}")


def check_without_data(browser, program, folder):
    page = folder / "little.html"
    little = {"environment": report_data.ENVIRONMENT, "results": [report_data.failed("k1", 64, "wrong", "planted")]}
    report(program, report_data.write(folder / "little.json", little), "-o", page)
    shown(browser, page)
    commands = browser.run("return [...document.querySelectorAll('.missing code')].map(each => each.textContent)")
    expect(len(commands) >= 11 and all(each.startswith("tilewright ") for each in commands), f"commands where data is missing: {commands}")
    fits(browser, "a page without data")


def check_little(browser, program, folder):
    """Pages of few rows have panels without some of their points."""
    rungs = [each["id"] for each in json.loads(subprocess.run(
        [program, "list", "--format", "json"], capture_output=True, text=True, check=True).stdout)["rungs"]]
    page = folder / "few.html"
    for kinds in (rungs, ["k1", "k2"], [rung for rung in rungs if rung.startswith("tf32")], [rungs[0]]):
        report(program, report_data.write(folder / "few.json", report_data.one_of_each(kinds)), "-o", page)
        shown(browser, page)
        broken = browser.run("return [...document.querySelectorAll('.fault')].map(each => each.parentElement.id + each.textContent)")
        expect(not broken, f"rows of {kinds[:3]}: {broken}")
        fits(browser, f"rows of {kinds[:3]}")
    # A fault in one panel leaves the others.
    spoilt = folder / "spoilt.html"
    spoilt.write_text(page.read_text(encoding="utf-8").replace(
        "function heatTable(", "function heatTable() { throw Error('planted'); }\nfunction other("), encoding="utf-8")
    browser.open(spoilt)
    browser.wait(READY)
    browser.console()
    broken = browser.run("return [...document.querySelectorAll('.fault')].map(each => each.parentElement.id)")
    expect(broken == ["heat"], f"the planted fault is shown in {broken}")
    expect(browser.run("return Boolean(document.querySelector('#files table'))"), "a fault ends the panels behind it")


def check_other_files(browser, program, folder):
    page = folder / "tuned.html"
    report(program, report_data.write(folder / "k9.json", report_data.tuned()), "-o", page)
    shown(browser, page)
    variants = browser.run("""
        const [dataset] = Chart.getChart(document.querySelector('#tuning canvas')).data.datasets;
        return dataset.variants.map((each, place) => [each.name, each.note, dataset.data[place].y])""")
    expect([each[:2] for each in variants] == [["128x64x16-8x8-u1-b2", "best"], ["a100", "tied"], ["a6000", ""]]
           and [each[2] for each in variants] == [37000, 36900, 30000], f"tuned candidates: {variants}")
    text = browser.run("return document.getElementById('tuning').textContent")
    expect("ended by signal 11" in text and "Tied with the best: a100" in text, "ties and failures are not listed")
    counts = {"environment": {"device": None, "mode": "cpu"}, "counts": [
        {"rung": "k3", "variant": "default", "shape": [64, 64, 64], "totals": {"ffma": 8192}}]}
    report(program, report_data.write(folder / "counts.json", counts), "-o", page)
    shown(browser, page)
    report(program, folder / "counts.json", folder / "everything.json", "-o", page)
    shown(browser, page)
    series = browser.run("return JSON.parse(document.getElementById('data').textContent).series.length")
    expect(series == 1, f"counts and times of one device are {series} series")


def check_speed(browser, program, folder):
    page = folder / "many.html"
    data = report_data.write(folder / "many.json", report_data.rows_of_many(MOST_ROWS))
    start = os.times()
    report(program, data, "-o", page)
    end = os.times()  # of the processor: other tests may run beside this one
    seconds = end.children_user + end.children_system - start.children_user - start.children_system
    expect(seconds < MOST_SECONDS, f"{MOST_ROWS} rows take {seconds:.1f} s")
    expect(page.stat().st_size < MOST_BYTES, f"{MOST_ROWS} rows make {page.stat().st_size} bytes")
    shown(browser, page)
    interactive, ready = [], []
    busy = max(1, os.getloadavg()[0] / os.cpu_count())  # with other tests, among which time is shared out
    for _ in range(3):
        browser.open(page)
        interactive.append(browser.run("return performance.getEntriesByType('navigation')[0].domInteractive"))
        browser.wait(READY)
        ready.append(int(browser.run("return document.documentElement.dataset.ready")))
    expect(min(ready) < MOST_READY_MS * busy, f"all panels are there after {ready} ms, of a machine {busy:.1f} times as busy as it can be")
    expect(min(interactive) < MOST_MS * busy, f"interactive after {interactive} ms, of a machine {busy:.1f} times as busy as it can be")


def main(program, pictures):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tilewright-report-"))
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        check_everything(browser, program, folder, pictures)
        check_comparison(browser, program, folder)
        check_without_data(browser, program, folder)
        check_little(browser, program, folder)
        check_other_files(browser, program, folder)
        check_speed(browser, program, folder)
    figures = folder / "figures"
    report(program, folder / "everything.json", "--png", figures)
    for name in ("ladder", "ladder-cublas", "sizes", "heat"):
        path = figures / f"{name}.png"
        expect(path.is_file() and colours_of(path) > 40, f"--png left no {name}.png, or one that is blank")
    subprocess.run(["rm", "-r", folder], check=True)
    print("\n".join(faults + [f"{checked} checks, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: report_check.py PROGRAM [PICTURES]")
    try:
        sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None))
    except Missing as missing:
        print(missing)
        sys.exit(1 if os.environ.get("CI") else SKIPPED)
