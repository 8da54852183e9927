# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a page of `tilewright report` shows the numbers that its file has."""


def check_values(browser, planted, expect):
    """Tables and charts of a page have the numbers of the planted file."""
    rows = browser.run("""
        const rows = [...document.querySelectorAll('#rates tbody tr')].map(row => [...row.cells].map(cell => cell.textContent));
        return Object.fromEntries(rows.map(row => [row[1], row]))""")
    ratio, rates = rows["k2"][6], [float(rows[id][2].replace(",", "")) for id in ("k1", "k2")]
    expect(abs(float(ratio) - rates[1] / rates[0]) < 0.02, f"x parent of k2: {ratio}, but the rates are {rates}")
    whole = float(rows["k6"][2].replace(",", "")) / rates[0]
    expect(abs(float(rows["k6"][8]) - whole) < 0.1, f"x k1 of k6: {rows['k6'][8]}, not {whole:.1f}")
    expect("power cap" in rows["k10 sustained"], f"what slowed k10 down is not shown: {rows['k10 sustained']}")
    plain = {(each["rung"], each["shape"][0]): each["gflops"] for each in planted["results"]
             if each["shape"] == each["shape"][:1] * 3 and each["memory"] == "cold" and not each.get("sustained")
             and each.get("batch", 1) == 1 and each["arithmetic"] == "fp32" and each["rung"] != "k9" and each["gflops"]}
    bars = browser.run("""
        const {data: shown} = Chart.getChart(document.querySelector('#ladder canvas'));
        return shown.datasets[0].rows.map((row, place) => [row.id, row.size, shown.datasets[0].data[place]])""")
    wrong = [bar for bar in bars if (bar[0], bar[1]) in plain and bar[2] != plain[bar[0], bar[1]]]
    known = [bar for bar in bars if (bar[0], bar[1]) in plain]
    expect(len(known) >= 10 and not wrong, f"the ladder has bars of {wrong}, and {len(known)} that were planted")
    lines = browser.run("""
        return Chart.getChart(document.querySelector('#sizes canvas')).data.datasets.flatMap(each =>
            each.rows.map((row, place) => [row.id, each.data[place].x, each.data[place].y]))""")
    wrong = [point for point in lines if (point[0], point[1]) in plain and point[2] != plain[point[0], point[1]]]
    expect(len(lines) > 90 and not wrong, f"the sizes have {len(lines)} points, and {wrong[:3]}")
    sweep = browser.run("""
        const {datasets} = Chart.getChart(document.querySelector('#sweep canvas')).data;
        return Object.fromEntries(datasets.map(each => [each.label, each.data.map(({x, y}) => [x, y])]))""")
    for name, rung in (("cuBLAS", "k0"), ("the library", "library"), ("rung 10 warp_tile", "k10")):
        expect(name in sweep and all(plain[rung, x] == y for x, y in sweep[name]), f"the sweep's {name}: {sweep.get(name)}")
    ids = browser.run("return JSON.parse(document.getElementById('data').textContent).squares.ids")
    expect({"library", "library fp16x3", "k0_tf32", "k10", "k10 sustained"} <= set(ids), f"rows were thrown together: {ids}")
    fact = browser.run("return document.querySelector('.facts li').textContent")
    expect("54" in fact and "copy_engine" in fact or "large_tile" in fact, f"the fastest in FP32: {fact}")
    shapes = browser.run("""
        const [dataset] = Chart.getChart(document.querySelector('#skinny canvas')).data.datasets;
        return dataset.bars.map(({shape, each}, place) => [shape.shape, each.id, dataset.data[place]])""")
    expect(["1x4096x4096", "tile", 1.3] in shapes and ["1x4096x4096", "gemv", 0.5] in shapes, f"skinny: {shapes}")
    errors = browser.run("""
        return Chart.getChart(document.querySelector('#errors canvas')).data.datasets.flatMap(each =>
            each.rows.map((row, place) => [row.id, each.data[place].x, each.data[place].y]))""")
    expect(["tf32_tile", 500000, 1e-5] in errors and ["bf16x6_tile", 114000, 3e-8] in errors, f"errors: {errors[:5]}")
