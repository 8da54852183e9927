// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Measured speed over FLOP a byte, at each level of memory, under its roof.

const levels = {
    dram: {name: 'DRAM', shade: 'worklog', mark: 'circle'},
    l2: {name: 'L2 to L1', shade: 'chapter', mark: 'rectRot'},
    shared: {name: 'shared memory', shade: 'beyond', mark: 'triangle'},
};

function rooflinePanel() {
    panel('roofline', 'Roofline', 'Roofline', 'A kernel has a point for each level of memory: its FLOP for each byte that moves '
        + 'there, and the speed that was measured. No point can lie above its level\u2019s roof; the nearest roof limits.',
    data.roofline, (section, contents) => {
        const state = {device: contents.devices[0], size: null, hidden: new Set()};
        const sizeOf = device => device.sizes.includes(4096) ? 4096 : device.sizes[device.sizes.length - 1];
        state.size = sizeOf(state.device);
        const chips = Object.entries(levels).map(([level, {name, shade}]) => {
            const chip = element('button', {type: 'button', class: 'chip', 'aria-pressed': 'true', onclick: () => {
                state.hidden.has(level) ? state.hidden.delete(level) : state.hidden.add(level);
                chip.setAttribute('aria-pressed', String(!state.hidden.has(level)));
                redraw();
            }}, swatch(shade), name);
            return chip;
        });
        section.append(element('div', {class: 'controls', role: 'group', 'aria-label': 'Levels of memory'}, ...chips,
            choice('Size', sizeOptions(state.device), state.size, value => { state.size = value; redraw(); }),
            contents.devices.length > 1 ? choice('Of', contents.devices.map(each => [each, data.series[each.series].label]), state.device,
                value => { state.device = value; state.size = sizeOf(value); redraw(); }) : null));
        const redraw = chart(section, 'Roofline', () => isNarrow() ? 440 : 560, () => rooflineChart(state), () => rooflineNumbers(state));
        section.append(element('p', {class: 'faint'}, `Counted by CPU mode, from ${contents.counted}. DRAM: A, B and C of this size move once, at best. `
            + 'L2: whole sectors. Shared memory: the 128 bytes of each wavefront, with conflicts, after the compiler has merged scalar loads where '
            + 'that is recorded. Kernels on tensor cores are left out. ' + (state.device.source
                ? `Bandwidths: ${state.device.source}; into L1, 64 bytes a clock and multiprocessor are assumed.`
                : 'Bandwidths of DRAM and L2 are not known for this GPU.')));
    });
}

function rooflinePoints({device, size}) {
    return device.points.filter(point => point.size === size && point.arithmetic === 'fp32');
}

function rooflineChart(state) {
    const {device} = state;
    const points = rooflinePoints(state);
    const peak = device.peak;
    const shown = device.roofs.filter(roof => !state.hidden.has(roof.level));
    const xs = shown.flatMap(roof => points.map(point => point[roof.level])).filter(value => value > 0);
    const low = Math.min(...xs, .5) / 1.5, high = Math.max(...xs, 64) * 1.5;
    const roofs = shown.map(roof => {
        const ridge = peak ? peak / roof.gb_s : high;
        const ends = [low, Math.min(ridge, high), high].filter((x, index, all) => index === 0 || x > all[index - 1]);
        return {
            type: 'line', label: `roof of ${roof.label}`, roof: true,
            data: ends.map(x => ({x, y: Math.min(peak ?? Infinity, x * roof.gb_s)})),
            borderColor: colour(levels[roof.level].shade), borderWidth: 2, pointRadius: 0, pointHitRadius: 0,
        };
    });
    const clouds = shown.map(roof => {
        const {shade, mark, name} = levels[roof.level];
        const there = points.filter(point => point[roof.level] > 0);
        return {
            type: 'scatter', label: name, rows: there, roofGbs: roof.gb_s,
            data: there.map(point => ({x: point[roof.level], y: point.gflops})),
            backgroundColor: faded(colour(shade), .8), borderColor: colour('paper'), borderWidth: 1,
            pointStyle: mark, pointRadius: 6, pointHoverRadius: 9,
        };
    });
    return {
        type: 'scatter',
        data: {datasets: [...clouds, ...roofs]},
        plugins: [rules, pointNames],
        options: {
            layout: {padding: {right: 12, top: 16}},
            scales: {
                x: {...logAxis('FLOP a byte', value => String(value)), min: low, max: high, grid: {color: colour('grid')}},
                y: {...logAxis('GFLOP/s'), ...rangeOf([...points.map(point => point.gflops), peak ?? points[0].gflops]), grid: {color: colour('grid')}},
            },
            interaction: {mode: 'nearest', axis: 'xy', intersect: true},
            plugins: {
                rules: {lines: peak ? [{axis: 'y', value: peak, text: `peak: ${rate(peak)} GFLOP/s`, colour: colour('ink')}] : []},
                tooltip: {filter: item => !item.dataset.roof, callbacks: {
                    title: items => items.length ? kernelTitle(items[0].dataset.rows[items[0].dataIndex].id) : '',
                    label: item => `${item.dataset.label}: ${number(item.raw.x, 2)} FLOP a byte, ${rate(item.raw.y)} GFLOP/s`,
                    footer: items => items.map(item => {
                        const roof = Math.min(peak ?? Infinity, item.raw.x * item.dataset.roofGbs);
                        return `${number(item.raw.y / roof * 100, 1)}% of what this level allows (${rate(roof)})`;
                    }),
                }},
            },
        },
    };
}

/** Names beside points, where there is room; of the texts' rungs and the fastest. */
const pointNames = {
    id: 'pointNames',
    afterDatasetsDraw(drawn) {
        const {ctx, chartArea} = drawn;
        const marks = drawn.data.datasets.flatMap((dataset, index) => dataset.rows ? drawn.getDatasetMeta(index).data : []);
        const taken = marks.map(mark => ({x: mark.x - 5, y: mark.y, width: 10}));
        ctx.save();
        ctx.font = `${Chart.defaults.font.size - 2}px ${Chart.defaults.font.family}`;
        ctx.textBaseline = 'middle';
        ctx.fillStyle = colour('ink');
        drawn.data.datasets.forEach((dataset, index) => {
            if (!dataset.rows) return;
            const there = drawn.getDatasetMeta(index).data;
            const fastest = dataset.rows.reduce((best, row, place) => row.gflops > dataset.rows[best].gflops ? place : best, 0);
            for (const place of [fastest, ...dataset.rows.keys()]) {
                const id = dataset.rows[place].id === 'k0' ? 'cuBLAS' : clipped(dataset.rows[place].id, 22), point = there[place];
                if (place !== fastest && !/^([kv]\d|cuBLAS)/.test(id)) continue;
                const box = {x: point.x + 8, y: point.y, width: ctx.measureText(id).width};
                if (box.x + box.width > chartArea.right) box.x = point.x - 8 - box.width;
                const hits = other => Math.abs(other.y - box.y) < 11 && other.x < box.x + box.width + 2 && box.x < other.x + other.width + 2;
                if (taken.some(hits)) continue;
                taken.push(box);
                ctx.fillText(id, box.x, box.y);
            }
        });
        ctx.restore();
    },
};

function rooflineNumbers(state) {
    const keys = state.device.roofs.map(roof => roof.level);
    return {
        columns: [{title: 'kernel', text: true}, {title: 'GFLOP/s', show: rate},
            ...keys.map(level => ({title: `FLOP a byte, ${levels[level].name}`, show: value => number(value, 2)}))],
        cells: rooflinePoints(state).sort((a, b) => a.gflops - b.gflops)
            .map(point => [kernelTitle(point.id, point.label), point.gflops, ...keys.map(level => point[level])]),
    };
}
