// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A kernel's variants over what sets them apart.

const tuningAxes = {
    intensity: 'FLOP a byte that the block tile loads',
    accumulators: 'accumulators a thread',
    area: 'elements of the block tile',
    depth: 'k-tile',
    threads: 'threads of a block',
    stages: 'stages',
};

function tuningPanel() {
    panel('tuning', 'Variants', 'Tuning',
        'The same code with other tile sizes: each point is a variant. What is fastest at one size '
            + 'need not be at another.',
        data.tuning, (section, contents) => {
            const state = {space: contents.spaces[0], axis: 'intensity'};
            const notes = element('div');
            section.append(element('div', {class: 'controls'},
                choice('Kernel and size', contents.spaces.map(space => [space, spaceName(space)]), state.space,
                    value => {
                        state.space = value;
                        fill();
                        redraw();
                    }),
                choice('Over', Object.entries(tuningAxes), state.axis, value => {
                    state.axis = value;
                    redraw();
                })));
            const redraw = chart(section, 'Variants', () => isNarrow() ? 360 : 420, () => tuningChart(state),
                () => tuningNumbers(state.space));
            section.append(notes);
            fill();

            function fill() {
                notes.replaceChildren(...tuningNotes(state.space));
            }
        });
}

function spaceName(space) {
    const what = {measured: ', as tuned', bound: ', as tuned by bounds'}[space.tuned] ?? '';
    return `${kernelTitle(space.id)}, ${space.shape}${space.conditions ? `, ${space.conditions}` : ''}${what}`
        + (manySeries ? `, ${data.series[space.series].label}` : '');
}

/** What the points cannot say. */
function tuningNotes(space) {
    const tied = space.variants.filter(each => each.note === 'tied').map(each => each.name);
    const unknown = space.variants.filter(each => !each.config).map(each => each.name);
    const notes = [];
    if (space.tuned === 'bound')
        notes.push('Bounds, from counts in CPU mode: no run is faster, and which is fastest only a GPU can say.');
    if (space.complete === false) notes.push('The run was interrupted: not all candidates were tried.');
    if (tied.length) notes.push(`Tied with the best: ${tied.join(', ')}.`);
    if (unknown.length) notes.push(`Not drawn, since this program does not know their tiles: ${unknown.join(', ')}.`);
    const failed = !space.failed.length ? [] : [
        element('p', {class: 'worse'}, `Without a time: ${space.failed.length}`),
        sortableTable(
            [
                {title: 'candidate', text: true}, {title: 'outcome', text: true},
                {title: 'reason', text: true, long: true}
            ],
            space.failed, 'Candidates without a time')
    ];
    return [...notes.map(note => element('p', {class: 'faint'}, note)), ...failed];
}

function tuningLook({name, note}, fastest) {
    if (note === 'best' || name === fastest) return {shade: colour('engine'), mark: 'rectRot', radius: 8};
    return note === 'tied' ? {shade: colour('chapter'), mark: 'rect', radius: 7}
                           : {shade: faded(colour('worklog'), .8), mark: 'circle', radius: 6};
}

function tuningChart({space, axis}) {
    const rows = space.variants.filter(variant => variant.config);
    const most = Math.max(...space.variants.map(row => row.gflops));
    const fastest = space.tuned ? null : rows.find(row => row.gflops === most)?.name;
    const looks = rows.map(row => tuningLook(row, fastest));
    return {
        type: 'scatter',
        data: {
            datasets: [{
                label: kernelTitle(space.id),
                variants: rows,
                data: rows.map(row => ({x: row.config[axis], y: row.gflops})),
                backgroundColor: looks.map(look => look.shade),
                borderColor: colour('paper'),
                borderWidth: 1,
                pointRadius: looks.map(look => look.radius),
                pointHoverRadius: 9,
                pointStyle: looks.map(look => look.mark),
            }]
        },
        plugins: [variantNames],
        options: {
            layout: {padding: {right: 24, top: 8, left: 4}},
            scales: {
                x: {
                    type: 'linear',
                    title: {text: tuningAxes[axis]},
                    grid: {color: colour('grid')},
                    grace: '8%',
                    ticks: {precision: 0, maxRotation: 0}
                },
                y: {
                    type: 'linear',
                    title: {text: space.tuned === 'bound' ? 'GFLOP/s, at most' : 'GFLOP/s'},
                    grid: {color: colour('grid')},
                    grace: '10%',
                    ticks: {callback: shortRateExact}
                },
            },
            interaction: {mode: 'nearest', axis: 'xy', intersect: true},
            plugins: {
                tooltip: {
                    callbacks: {
                        title: items => items.length ? rows[items[0].dataIndex].name : '',
                        label: item =>
                            `${rate(item.raw.y)} GFLOP/s, ${number(item.raw.y / most * 100, 1)}% of the fastest`,
                        footer: items => items.flatMap(item => [rows[item.dataIndex].note || null,
                                                           ...configurationLines(rows[item.dataIndex].config)]
                                                                   .filter(Boolean)),
                    }
                }
            },
        },
    };
}

function shortRateExact(value) {
    return value >= 10000 ? `${number(value / 1000, value % 1000 ? 1 : 0)}k` : number(value, 0);
}

function configurationLines(config) {
    return [
        `block tile ${config.block[0]} x ${config.block[1]}, k-tile ${config.block[2]}`,
        config.warp[0] ? `warp tile ${config.warp.join(' x ')}` : null,
        config.thread[0] ? `thread tile ${config.thread.join(' x ')}` : null,
        `${config.threads} threads, ${config.stages} stage${config.stages === 1 ? '' : 's'}`
    ].filter(Boolean);
}

/** Names of variants beside their points, the fastest first. */
const variantNames = {
    id: 'variantNames',
    afterDatasetsDraw(drawn) {
        const [{variants}] = drawn.data.datasets, points = drawn.getDatasetMeta(0).data;
        placeTexts(drawn, points.map((point, place) => ({point, text: variants[place].name})), points,
            Chart.defaults.font.size - 1);
    },
};

function tuningNumbers(space) {
    const hasNotes = space.tuned !== null;
    return {
        columns: [
            {title: 'variant', text: true}, {title: 'GFLOP/s', show: rate}, {title: 'time, us', show: microseconds},
            {title: '\u00b1 %', show: value => number(value, 1)},
            ...(hasNotes ? [{title: space.tuned === 'bound' ? 'limited by' : 'remark', text: true}] : []),
            {title: 'configuration', text: true, long: true}
        ],
        cells: space.variants.map(
            each => [each.name, each.gflops, each.us, each.spread, ...(hasNotes ? [each.note || null] : []),
                each.config ? configurationLines(each.config).join('; ') : 'not known to this program']),
    };
}
