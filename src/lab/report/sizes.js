// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// GFLOP/s over size: a line a kernel.

const dashes = [[], [6, 4], [2, 3], [8, 3, 2, 3]];
const marks = ['circle', 'rectRot', 'triangle', 'rect'];

function sizesPanel() {
    panel('sizes', 'GFLOP/s over size', 'Sizes',
        'Square products. Small ones have too few tiles for all multiprocessors; '
            + 'a last wave of tiles that is nearly empty costs speed too.',
        data.squares, section => {
            const {squares} = data;
            const families_there =
                Object.keys(families).filter(family => squares.ids.some(id => kernel(id).family === family));
            const state = {
                hidden: new Set(manySeries ? ['engine', 'chapter', 'tensor'] : ['engine']),
                scale: 'logarithmic'
            };
            if (families_there.length === 1) state.hidden.clear();
            const shades = families_there.map(family => [family, families[family], family]);
            section.append(element('div', {class: 'controls', role: 'group', 'aria-label': 'Shown kernels'},
                ...toggles(shades, state.hidden, () => redraw(), true),
                choice('Scale', [['logarithmic', 'logarithmic'], ['linear', 'linear']], state.scale, value => {
                    state.scale = value;
                    redraw();
                })));
            const legend = familyLegend(squares.ids);
            legend.classList.add('source');  // where the buttons are not there
            section.append(legend);
            if (manySeries)
                section.append(element('p', {class: 'legend'},
                    ...data.series.map(
                        (each, index) => element('span', {},
                            `${['solid', 'dashed', 'dotted', 'dash-dotted'][index % 4]}: ${each.label}. `))));
            const idsShown = () => squares.ids.filter(id => !state.hidden.has(kernel(id).family));
            const redraw = chart(section, 'GFLOP/s over size', () => isNarrow() ? 420 : 560,
                () => sizesChart(idsShown(), state.scale), () => sizesNumbers(idsShown()));
            section.append(element('p', {class: 'source faint'}, sourceText()));
        });
}

/** Who gets a name at the end of its line first: the opponent, the fastest, then the texts' rungs. */
function ranks(lines) {
    const order = ['k0', 'library', 'k1', 'k10', 'k2', 'k3', 'k4', 'k6', 'v2', 'v5x', 'v1'];
    const last = line => line.points[line.points.length - 1].y;
    const fastest = {};
    for (const line of lines) {
        const {family} = kernel(line.id);
        if (!fastest[family] || last(line) > last(fastest[family])) fastest[family] = line;
    }
    return lines.map(line => fastest[kernel(line.id).family] === line ? (isCublas(line.id) ? 0 : 1)
            : order.includes(line.id)                                 ? 2 + order.indexOf(line.id)
                                                                      : 20);
}

function sizeLines(ids) {
    return data.series
        .flatMap((each, series) => ids.map(id => {
            const rows =
                data.squares.rows.filter(row => row.series === series && row.id === id).sort((a, b) => a.size - b.size);
            return {id, series, rows, points: rows.map(row => ({x: row.size, y: row.gflops}))};
        }))
        .filter(line => line.points.length);
}

function sizesChart(ids, scale) {
    const lines = sizeLines(ids);
    const order = ranks(lines);
    const datasets = lines.map((line, index) => {
        const shade = colour(kernel(line.id).family);
        const strong = order[index] < 20 || lines.length < 12;
        const changes = line.rows.map(row => line.series === 1 && changeOf(row));
        return {
            label: kernelTitle(line.id) + (manySeries ? `, ${data.series[line.series].label}` : ''),
            data: line.points,
            rows: line.rows,
            end: line.series === 0 || !manySeries ? shortName(line.id) : null,
            rank: order[index],
            solid: shade,
            borderColor: faded(shade, strong ? 1 : .45),
            backgroundColor: shade,
            pointBorderColor: shade,
            borderWidth: isCublas(line.id) ? 3
                : strong                   ? 1.8
                                           : 1.1,
            borderDash: isCublas(line.id) && !manySeries ? [7, 4] : dashes[line.series % dashes.length],
            pointRadius: changes.map(change => change ? 6 : 2),
            pointHoverRadius: 6,
            pointStyle: marks[line.series % marks.length],
            order: isCublas(line.id) ? 0
                : strong             ? 1
                                     : 2,
        };
    });
    return {
        type: 'line',
        data: {datasets},
        plugins: [endNames],
        options: {
            layout: {padding: {right: 12 + 6.5 * Math.max(...datasets.map(each => each.end?.length ?? 0)), top: 6}},
            scales: {
                x: {
                    type: 'logarithmic',
                    min: data.squares.sizes[0],
                    max: data.squares.sizes[data.squares.sizes.length - 1],
                    title: {text: 'M = N = K'},
                    grid: {color: colour('grid')},
                    ...ticksAt(apart(data.squares.sizes))
                },
                y: scale === 'linear' ? {
                    type: 'linear',
                    beginAtZero: true,
                    title: {text: 'GFLOP/s'},
                    grid: {color: colour('grid')},
                    ticks: {callback: shortRate}
                }
                                      : {
                                            ...logAxis('GFLOP/s'),
                                            ...rangeOf(lines.flatMap(line => line.points.map(point => point.y))),
                                            grid: {color: colour('grid')}
                                        },
            },
            interaction: {mode: 'nearest', axis: 'xy', intersect: false},
            plugins: {
                tooltip: {
                    callbacks: {
                        title: items => `${items[0].raw.x} x ${items[0].raw.x} x ${items[0].raw.x}`,
                        label: item => `${item.dataset.label}: ${rate(item.raw.y)} GFLOP/s`,
                        footer: items => items.flatMap(item => rowFooter(item.dataset.rows[item.dataIndex])),
                    }
                }
            },
        },
    };
}

function isCublas(id) {
    return kernel(id).family === 'cublas';
}

function shortName(id) {
    if (isCublas(id)) return id.replace('k0', 'cuBLAS').replace('_tf32', ' TF32');
    return clipped(id, isNarrow() ? 9 : 16);
}

function sizesNumbers(ids) {
    const {sizes} = data.squares;
    return {
        columns: [{title: 'kernel', text: true}, ...sizes.map(size => ({title: String(size), show: rate}))],
        cells: sizeLines(ids).map(
            line => [kernelTitle(line.id) + (manySeries ? `, ${data.series[line.series].label}` : ''),
                ...sizes.map(size => line.rows.find(row => row.size === size)?.gflops ?? null)]),
    };
}
