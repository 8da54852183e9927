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
    panel('tuning', 'Variants', 'Tuning', 'The same code with other tile sizes: each point is a variant. What is fastest at one size '
        + 'need not be at another.', data.tuning, (section, contents) => {
        const state = {space: contents.spaces[0], axis: 'intensity'};
        const name = space => `${kernelTitle(space.id)}, ${space.shape}${manySeries ? `, ${data.series[space.series].label}` : ''}`;
        section.append(element('div', {class: 'controls'},
            choice('Kernel and size', contents.spaces.map(space => [space, name(space)]), state.space, value => { state.space = value; redraw(); }),
            choice('Over', Object.entries(tuningAxes), state.axis, value => { state.axis = value; redraw(); })));
        const redraw = chart(section, 'Variants', () => isNarrow() ? 360 : 420, () => tuningChart(state), () => tuningNumbers(state.space));
    });
}

function tuningChart({space, axis}) {
    const rows = space.variants.filter(variant => variant.config);
    const best = Math.max(...rows.map(row => row.gflops));
    return {
        type: 'scatter',
        data: {datasets: [{
            label: kernelTitle(space.id), variants: rows, data: rows.map(row => ({x: row.config[axis], y: row.gflops})),
            backgroundColor: rows.map(row => row.gflops === best ? colour('engine') : faded(colour('worklog'), .8)), borderColor: colour('paper'), borderWidth: 1,
            pointRadius: rows.map(row => row.gflops === best ? 8 : 6), pointHoverRadius: 9,
            pointStyle: rows.map(row => row.gflops === best ? 'rectRot' : 'circle'),
        }]},
        plugins: [variantNames],
        options: {
            layout: {padding: {right: 24, top: 8, left: 4}},
            scales: {
                x: {type: 'linear', title: {text: tuningAxes[axis]}, grid: {color: colour('grid')}, grace: '8%', ticks: {precision: 0, maxRotation: 0}},
                y: {type: 'linear', title: {text: 'GFLOP/s'}, grid: {color: colour('grid')}, grace: '10%', ticks: {callback: shortRateExact}},
            },
            interaction: {mode: 'nearest', axis: 'xy', intersect: true},
            plugins: {tooltip: {callbacks: {
                title: items => rows[items[0].dataIndex].name,
                label: item => `${rate(item.raw.y)} GFLOP/s, ${number(item.raw.y / best * 100, 1)}% of the fastest`,
                footer: items => configurationLines(rows[items[0].dataIndex].config),
            }}},
        },
    };
}

function shortRateExact(value) {
    return value >= 10000 ? `${number(value / 1000, value % 1000 ? 1 : 0)}k` : number(value, 0);
}

function configurationLines(config) {
    return [`block tile ${config.block[0]} x ${config.block[1]}, k-tile ${config.block[2]}`,
        config.warp[0] ? `warp tile ${config.warp.join(' x ')}` : null,
        config.thread[0] ? `thread tile ${config.thread.join(' x ')}` : null,
        `${config.threads} threads, ${config.stages} stage${config.stages === 1 ? '' : 's'}`].filter(Boolean);
}

/** Names of variants beside their points, where there is room. */
const variantNames = {
    id: 'variantNames',
    afterDatasetsDraw(drawn) {
        const {ctx, chartArea} = drawn, [{variants}] = drawn.data.datasets;
        const points = drawn.getDatasetMeta(0).data;
        const taken = points.map(point => ({x: point.x - 6, y: point.y, width: 12}));
        ctx.save();
        ctx.font = `${Chart.defaults.font.size - 1}px ${Chart.defaults.font.family}`;
        ctx.textBaseline = 'middle';
        ctx.fillStyle = colour('ink');
        points.forEach((point, place) => {
            const width = ctx.measureText(variants[place].name).width;
            for (const box of [{x: point.x + 10, y: point.y}, {x: point.x - 10 - width, y: point.y}, {x: point.x - width / 2, y: point.y - 14}, {x: point.x - width / 2, y: point.y + 14}]) {
                if (box.x < chartArea.left || box.x + width > chartArea.right + 20) continue;
                if (taken.some(other => Math.abs(other.y - box.y) < 12 && other.x < box.x + width && box.x < other.x + other.width)) continue;
                taken.push({...box, width});
                ctx.fillText(variants[place].name, box.x, box.y);
                return;
            }
        });
        ctx.restore();
    },
};

function tuningNumbers(space) {
    return {
        columns: [{title: 'variant', text: true}, {title: 'GFLOP/s', show: rate}, {title: 'time, us', show: microseconds}, {title: '\u00b1 %', show: value => number(value, 1)},
            {title: 'configuration', text: true, long: true}],
        cells: space.variants.map(each => [each.name, each.gflops, each.us, each.spread,
            each.config ? configurationLines(each.config).join('; ') : 'not known to this program']),
    };
}
