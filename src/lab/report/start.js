// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Puts the page together; theme, print, and the page as one picture.

const themes = ['system', 'light', 'dark'];

/** A page from a file may be denied to remember anything. */
function remembered(value) {
    try {
        if (value === undefined) return localStorage.getItem('tilewright-theme') || 'system';
        localStorage.setItem('tilewright-theme', value);
    } catch { /* as the system, then */
    }
    return value || 'system';
}

function setTheme(theme) {
    if (theme === 'system')
        delete document.documentElement.dataset.theme;
    else
        document.documentElement.dataset.theme = theme;
    const button = document.getElementById('theme');
    button.textContent = `Colours: ${theme}`;
    button.setAttribute('aria-label', `Colours: ${theme === 'system' ? 'as the system' : theme}. Change`);
}

function switchTheme() {
    const theme = themes[(themes.indexOf(remembered()) + 1) % themes.length];
    setTheme(remembered(theme));
    redrawAll();
}

function facts() {
    const list = [];
    const {squares} = data;
    if (!squares.missing) {
        const rows = squaresAt(squares.size).filter(row => kernel(row.id).arithmetic === 'fp32' && !isCublas(row.id));
        for (const [index, each] of data.series.entries()) {
            const best = rows.filter(row => row.series === index)
                             .sort((a, b) => kernel(a.id).sustained - kernel(b.id).sustained || b.gflops - a.gflops)[0];
            if (!best) continue;
            const share = best.cublas === null ? '' : `, ${number(best.cublas, 1)}% of cuBLAS`;
            list.push([
                `${number(best.gflops / 1000, 1)} TFLOP/s`,
                `fastest in FP32: ${kernelTitle(best.id, best.label)} at ${squares.size}${share}`
                    + (manySeries ? `; ${each.label}` : '')
            ]);
        }
    }
    const files = data.files.files, rows = files.reduce((sum, file) => sum + file.rows, 0);
    const bad = files.reduce((sum, file) => sum + file.not_ok.length, 0);
    list.push([
        String(rows),
        `row${rows === 1 ? '' : 's'} of ${files.length} file${files.length === 1 ? '' : 's'}`
            + (bad ? `, ${bad} without a time` : '')
    ]);
    return element(
        'ul', {class: 'facts'}, ...list.map(([value, text]) => element('li', {}, element('b', {}, value), text)));
}

let openedForPrint = [];

/** On paper it is day, and nothing needs a click. */
function preparePrint() {
    fillAllNow();
    openedForPrint = [...document.querySelectorAll('details:not([open])')];
    for (const details of openedForPrint) {
        details.fillNow?.();
        details.open = true;
    }
    document.documentElement.dataset.theme = 'light';
    redrawAll();
}

function endPrint() {
    for (const details of openedForPrint) details.open = false;
    openedForPrint = [];
    setTheme(remembered());
    redrawAll();
}

function start() {
    const names = data.series.length ? data.series.map(each => each.label) : data.files.files.map(file => file.name);
    document.getElementById('subtitle').textContent = [...new Set(names)].join('; ');
    document.title = `Tilewright report: ${document.getElementById('subtitle').textContent}`;
    document.getElementById('theme').addEventListener('click', switchTheme);
    setTheme(remembered());
    document.getElementById('panels').append(facts());
    if (data.series.some(each => !each.on_gpu))
        document.getElementById('panels').append(element('div', {class: 'note'},
            element('p', {},
                'Times of CPU mode are those of a '
                    + 'processor that runs the kernels\u2019 text. They say nothing about a GPU; '
                    + 'what it counts does.')));
    comparisonPanel();
    ladderPanel();
    sizesPanel();
    heatPanel();
    ratesPanel();
    rooflinePanel();
    countedPanel();
    parametersPanel();
    occupancyPanel();
    quantisationPanel();
    sweepPanel();
    shapesPanels();
    errorsPanel();
    tuningPanel();
    rungsPanel();
    filesPanel();
    document.getElementById('made').textContent = `Made by tilewright ${data.made.version} on ${data.made.date}: `
        + `${data.made.command}. Charts: Chart.js ${Chart.version}, MIT licence.`;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
    window.addEventListener('beforeprint', preparePrint);
    window.addEventListener('afterprint', endPrint);
    matchMedia('(max-width: 640px)').addEventListener('change', redrawAll);
    if (!showFigure()) fillWaiting();
}

start();
