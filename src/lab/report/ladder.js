// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The ladder at one size: a bar a kernel.

const units = {
    gflops: {name: 'GFLOP/s', text: rate},
    cublas: {name: '% of cuBLAS', text: value => number(value, 1)},
    peak: {name: '% of peak', text: value => number(value, 1)},
};

function squaresAt(size) {
    return data.squares.rows.filter(row => row.size === size);
}

function sizeOptions(panelData) {
    return panelData.sizes.map(size => [size, `${size} x ${size} x ${size}`]);
}

function ladderPanel() {
    panel('ladder', 'The ladder', 'Ladder',
        'Each kernel at one size, in reading order. Rungs of the source texts '
            + 'k1 to k10 and v1 to v5x come first; cuBLAS is the line.',
        data.squares, section => {
            const {squares} = data;
            const state = {
                size: squares.size,
                unit: 'gflops',
                tensor: !squares.ids.some(id => kernel(id).arithmetic === 'fp32')
            };
            adjust.ladder = changes => {
                Object.assign(state, changes);
                draw();
            };
            const hasTensor = squares.ids.some(id => kernel(id).arithmetic !== 'fp32');
            const draw = () => {
                redraw();
                caption.textContent = sourceText(state.size);
            };
            section.append(
                element('div', {class: 'controls'}, choice('Size', sizeOptions(squares), state.size, value => {
                    state.size = value;
                    draw();
                }), choice('Unit', Object.entries(units).map(([key, unit]) => [key, unit.name]), state.unit, value => {
                    state.unit = value;
                    draw();
                }), hasTensor ? tick('Tensor cores too', state.tensor, value => {
                    state.tensor = value;
                    draw();
                }) : null));
            section.append(manySeries ? seriesLegend() : familyLegend(squares.ids.filter(isShown)));
            const redraw = chart(section, 'The ladder',
                () => 70 + (manySeries ? 13 * data.series.length + 6 : 19) * idsShown().length,
                () => ladderChart(idsShown(), state), () => ladderNumbers(idsShown(), state));
            const caption = element('p', {class: 'source faint'}, sourceText(state.size));
            section.append(caption);

            function isShown(id) {
                return kernel(id).family !== 'engine'
                    && (state.tensor || kernel(id).arithmetic === 'fp32' || state.unit === 'peak');
            }
            function idsShown() {
                const there = new Set(squaresAt(state.size).filter(row => row[state.unit] !== null).map(row => row.id));
                return squares.ids.filter(id => there.has(id) && isShown(id));
            }
        });
}

/** Below pictures that leave the page: what they are of. */
function sourceText(size, series = data.series) {
    const at = size ? `M = N = K = ${size}. ` : '';
    return at + series.map(each => `${each.label}: ${each.files.join(', ')}`).join('; ');
}

function familyLegend(ids) {
    const there = new Set(ids.map(id => kernel(id).family));
    return element('ul', {class: 'legend', 'aria-label': 'Colours'},
        ...Object.entries(families).filter(([family]) => there.has(family)).map(([family,
            name]) => element('li', {}, swatch(family), name)));
}

function ladderChart(ids, {size, unit}) {
    const rows = squaresAt(size);
    const find = (series, id) => rows.find(row => row.series === series && row.id === id);
    const datasets = data.series.map((each, series) => ({
        label: each.label,
        data: ids.map(id => find(series, id)?.[unit] ?? null),
        rows: ids.map(id => find(series, id)),
        texts: ids.map(id => barText(find(series, id), unit, series)),
        backgroundColor: ids.map(id => manySeries ? seriesColour(series) : colour(kernel(id).family)),
        categoryPercentage: manySeries ? .85 : .8,
        barPercentage: .95,
    }));
    const lines = unit === 'cublas'
        ? [{value: 100, text: 'cuBLAS', colour: colour('ink')}]
        : data.series.flatMap((each, series) => ids.filter(id => kernel(id).family === 'cublas').map(id => ({
              value: find(series, id)?.[unit],
              text: kernelTitle(id),
              colour: manySeries ? seriesColour(series) : colour('ink')
          })));
    return {
        type: 'bar',
        data: {labels: ids.map(id => clipped(kernelTitle(id))), datasets},
        plugins: [barTexts, rules],
        options: {
            indexAxis: 'y',
            layout: {padding: {top: 14, right: 44}},
            scales: {
                x: {
                    beginAtZero: true,
                    title: {text: `${units[unit].name} at ${size} x ${size} x ${size}`},
                    grid: {color: colour('grid')},
                    ticks: {callback: value => unit === 'gflops' ? shortRate(value) : value, maxRotation: 0}
                },
                y: {
                    grid: {display: false},
                    ticks: {color: colour('ink'), autoSkip: false, font: {size: isNarrow() ? 10 : 12}}
                },
            },
            interaction: {mode: 'nearest', axis: 'y', intersect: false},
            plugins: {
                rules: {lines: lines.filter(line => line.value).map(line => ({axis: 'x', ...line}))},
                tooltip: {
                    callbacks: {
                        label: item => (manySeries ? `${item.dataset.label}: ` : '')
                            + `${units[unit].text(item.raw)} ${units[unit].name}`,
                        footer: items => items.flatMap(item => rowFooter(item.dataset.rows[item.dataIndex])),
                    }
                },
            },
        },
    };
}

/** The number behind a bar; where runs are compared, with what changed beyond noise. */
function barText(row, unit, series) {
    if (!row || row[unit] === null) return '';
    const text = units[unit].text(row[unit]);
    const change = series === 1 ? changeOf(row) : null;
    return change ? `${text}  ${change}` : text;
}

function rowFooter(row) {
    if (!row) return [];
    const known = kernel(row.id);
    return [
        `${microseconds(row.us)} us${row.spread === null ? '' : ` \u00b1 ${number(row.spread, 1)}%`}, ${row.mode}`,
        row.chosen ? `dispatch took ${row.chosen}` : null,
        row.parent !== null ? `${number(row.parent, 2)} x ${kernelTitle(known.parent)}` : null,
        row.first !== null ? `${number(row.first, 1)} x k1` : null,
        row.cublas !== null ? `${number(row.cublas, 1)}% of cuBLAS` : null,
        row.opponent ? `${number(row.opponent[1], 1)}% of ${row.opponent[0]}` : null,
        row.peak !== null ? `${number(row.peak, 1)}% of peak` : null,
        row.throttling ? `slowed down: ${row.throttling}` : null
    ].filter(line => line !== null);
}

function ladderNumbers(ids, {size, unit}) {
    const rows = squaresAt(size);
    const find = (series, id) => rows.find(row => row.series === series && row.id === id);
    return {
        columns: [
            {title: 'kernel', text: true},
            ...data.series.flatMap(each => [{title: `${units[unit].name}, ${each.label}`, show: units[unit].text},
                                       {title: 'x parent', show: value => number(value, 2)},
                                       {title: 'x k1', show: value => number(value, 1)}])
        ],
        cells: ids.map(id => [kernelTitle(id), ...data.series.flatMap((_, series) => {
            const row = find(series, id);
            return [row?.[unit] ?? null, row?.parent ?? null, row?.first ?? null];
        })]),
    };
}
