// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Panels as pictures that leave the page: #figure=NAME shows one alone, #figures lists them.

const adjust = {};  // by panel: takes changes of what it shows

function figures() {
    const {squares} = data;
    if (squares.missing) return [];
    const at = `${squares.size} x ${squares.size} x ${squares.size}`;
    const isCompared = squaresAt(squares.size).some(row => row.cublas !== null);
    const measured =
        data.series.flatMap((each, series) => squares.rows.some(row => row.series === series) ? [{each, series}] : []);
    return [
        {name: 'ladder', panel: 'ladder', title: `GFLOP/s at ${at}`, changes: {unit: 'gflops'}},
        ...(isCompared ? [{
            name: 'ladder-cublas',
            panel: 'ladder',
            title: `Per cent of cuBLAS at ${at}`,
            changes: {unit: 'cublas'}
        }]
                       : []),
        {name: 'sizes', panel: 'sizes', title: 'GFLOP/s over size, all kernels'},
        ...measured.map(({each, series}, place) => ({
            name: place ? `heat-${place + 1}` : 'heat',
            panel: 'heat',
            title: `GFLOP/s by kernel and size${manySeries ? `, ${each.label}` : ''}`,
            changes: {series},
        })),
    ];
}

function showOnly({panel: id, changes}) {
    for (const section of document.querySelectorAll('main section'))
        section.classList.toggle('shown', section.id === id);
    if (changes) adjust[id](changes);
    redrawAll();
}

/** With the height that each takes. */
function listFigures() {
    const list = figures().map(figure => {
        showOnly(figure);
        const {bottom} = document.getElementById(figure.panel).getBoundingClientRect();
        return {name: figure.name, title: figure.title, height: Math.ceil(bottom + scrollY)};
    });
    const text = JSON.stringify(list).replaceAll('<', '\\u003c');
    document.body.append(element('script', {type: 'application/json', id: 'figures'}, text));
}

/** Whether the address asks for pictures in place of the page. */
function showFigure() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has('figure') && !asked.has('figures')) return false;
    document.documentElement.classList.add('figure');
    setTheme('light');
    fillAllNow();
    const figure = figures().find(({name}) => name === asked.get('figure'));
    if (asked.has('figures'))
        listFigures();
    else if (figure)
        showOnly(figure);
    return true;
}
