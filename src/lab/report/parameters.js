// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// All rungs' tile parameters side by side, and what they leave of a multiprocessor.

/** A parameter of zero is a level that the rung does not have. */
function parameterColumns() {
    const size = (title, about, value) => ({title, about, value});
    return [
        size('BM', 'block tile along m', ({tiles}) => tiles.block[0]),
        size('BN', 'block tile along n', ({tiles}) => tiles.block[1]),
        size('BK', 'k-tile', ({tiles}) => tiles.block[2]),
        size('WM', 'warp tile along m', ({tiles}) => tiles.warp[0]),
        size('WN', 'warp tile along n', ({tiles}) => tiles.warp[1]),
        size('TM', 'thread tile along m', ({tiles}) => tiles.thread[0]),
        size('TN', 'thread tile along n', ({tiles}) => tiles.thread[1]),
        size('threads', 'of a block', ({tiles}) => tiles.threads + tiles.producers),
        size('stages', 'k-tiles in shared memory at a time', ({tiles}) => tiles.stages),
        size('registers', 'of a thread', ({occupancy}) => occupancy?.registers),
        size('shared, kB', 'of a block', ({occupancy}) => occupancy && occupancy.shared / 1024),
        size('blocks', 'on a multiprocessor', ({occupancy}) => occupancy?.blocks),
    ];
}

function parametersPanel() {
    panel('parameters', 'Parameters', 'Parameters',
        'The sizes that each rung is built from, in its first variant; "-" is a level that a rung does not have.',
        data.rungs, (section, contents) => {
            const columns = parameterColumns();
            section.append(
                sortableTable(
                    [
                        {title: 'rung', text: true}, {title: 'id', text: true}, ...columns.map(({title,
                            about}) => ({title, about, show: value => number(value, title === 'shared, kB' ? 1 : 0)})),
                        {title: 'occupancy, %', show: value => number(value, 0)}, {title: 'limited by', text: true}
                    ],
                    contents.rungs.map(rung => [rung.title, rung.id, ...columns.map(({value}) => value(rung) || null),
                                           rung.occupancy?.share ?? null, rung.occupancy?.limit || null]),
                    'Parameters of all rungs'),
                element('p', {class: 'faint'}, `Registers as compiled; blocks and occupancy of an ${contents.gpu}.`));
        });
}

const occupancyAxes = {
    accumulators: [
        'accumulators of a thread',
        rung => rung.tiles.block[0] && rung.tiles.threads
            ? rung.tiles.block[0] * rung.tiles.block[1] / rung.tiles.threads
            : null
    ],
    intensity: ['FLOP a byte of L2, as counted', rung => rung.intensity],
    registers: ['registers of a thread', rung => rung.occupancy.registers],
};

/** Measured at the panel's size; without times a rung has its place all the same. */
function occupancyPoints({axis}) {
    const {squares} = data;
    return data.rungs.rungs.filter(rung => rung.occupancy && occupancyAxes[axis][1](rung) > 0)
        .map(rung => {
            const row = squares.missing ? null : squaresAt(squares.size).find(each => each.id === rung.id);
            return {
                id: rung.id,
                label: rung.id,
                x: occupancyAxes[axis][1](rung),
                y: rung.occupancy.share,
                gflops: row?.gflops ?? 0,
                limit: rung.occupancy.limit,
                arithmetic: rung.arithmetic
            };
        })
        .filter(point => point.arithmetic === 'fp32');
}

function occupancyPanel() {
    panel('occupancy', 'Occupancy', 'Occupancy',
        'The share of a multiprocessor\u2019s threads that are there at a time, over the work that one thread has. '
            + 'Warps hide latency; so do independent FFMAs of one warp, one for each '
            + 'accumulator, and accumulators take the registers that more warps would need. '
            + 'Larger points are faster.',
        data.rungs, (section, contents) => {
            const state = {axis: 'accumulators'};
            section.append(element('div', {class: 'controls'},
                choice(
                    'Over', Object.entries(occupancyAxes).map(([key, [title]]) => [key, title]), state.axis, value => {
                        state.axis = value;
                        redraw();
                    })));
            const redraw = chart(section, 'Occupancy', () => isNarrow() ? 360 : 420, () => occupancyChart(state),
                () => occupancyNumbers(state));
            section.append(element('p', {class: 'faint'},
                `FP32 rungs on an ${contents.gpu}, in their first variants`
                    + `${data.squares.missing ? '' : `; speed at ${data.squares.size}`}.`));
        });
}

function occupancyChart(state) {
    const rows = occupancyPoints(state), most = Math.max(...rows.map(row => row.gflops), 1);
    return {
        type: 'scatter',
        data: {
            datasets: [{
                label: 'rungs',
                rows,
                namesAll: true,
                data: rows.map(({x, y}) => ({x, y})),
                borderColor: colour('paper'),
                borderWidth: 1,
                pointHoverRadius: 12,
                backgroundColor: rows.map(row => faded(colour(kernel(row.id).family), .75)),
                pointRadius: rows.map(row => 4 + 9 * Math.sqrt(row.gflops / most)),
            }]
        },
        plugins: [pointNames],
        options: {
            layout: {padding: {right: 24, top: 8}},
            scales: {
                x: {
                    ...logAxis(occupancyAxes[state.axis][0], value => String(value)),
                    ...rangeOf(rows.map(row => row.x), 1.3),
                    grid: {color: colour('grid')}
                },
                y: {
                    type: 'linear',
                    min: 0,
                    max: 105,
                    title: {text: 'occupancy, %'},
                    grid: {color: colour('grid')},
                    ticks: {stepSize: 25, callback: value => value > 100 ? '' : value}
                },
            },
            interaction: {mode: 'nearest', axis: 'xy', intersect: true},
            plugins: {
                tooltip: {
                    callbacks: {
                        title: items => items.length ? pointTitle(items[0]) : '',
                        label: item => `${number(item.raw.y, 0)}% occupancy, limited by ${rows[item.dataIndex].limit}`,
                        footer: items => items.flatMap(
                            item => [`${number(item.raw.x, 1)} ${occupancyAxes[state.axis][0]}`,
                                rows[item.dataIndex].gflops ? `${rate(rows[item.dataIndex].gflops)} GFLOP/s`
                                                            : 'no time']),
                    }
                }
            },
        },
    };
}

function occupancyNumbers(state) {
    return {
        columns: [
            {title: 'rung', text: true}, {title: occupancyAxes[state.axis][0], show: value => number(value, 1)},
            {title: 'occupancy, %', show: value => number(value, 0)}, {title: 'limited by', text: true},
            {title: 'GFLOP/s', show: rate}
        ],
        cells:
            occupancyPoints(state).map(({id, x, y, limit, gflops}) => [kernelTitle(id), x, y, limit, gflops || null]),
    };
}
