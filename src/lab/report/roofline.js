// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Measured speed over FLOP a byte, at each level of memory, under its roof.

const levels = {
    dram: {name: 'DRAM', shade: 'worklog', mark: 'circle'},
    l2: {name: 'L2 to L1', shade: 'chapter', mark: 'rectRot'},
    shared: {name: 'shared memory', shade: 'beyond', mark: 'triangle'},
};

function rooflinePanel() {
    panel('roofline', 'Roofline', 'Roofline',
        'A kernel has a point for each level of memory: its FLOP for each byte that moves '
            + 'there, and the speed that was measured. With operands that come from DRAM no point lies '
            + 'above its level\u2019s roof; the nearest roof limits.',
        data.roofline, (section, contents) => {
            const state = {device: contents.devices[0], size: null, hidden: new Set()};
            const sizeOf = device => device.sizes.includes(4096) ? 4096 : device.sizes[device.sizes.length - 1];
            const sizes = element('span'), about = element('p', {class: 'faint'});
            section.append(element('div', {class: 'controls', role: 'group', 'aria-label': 'Levels of memory'},
                ...toggles(Object.entries(levels).map(([level, {name, shade}]) => [level, name, shade]), state.hidden,
                    () => redraw()),
                sizes,
                contents.devices.length > 1
                    ? choice('Of', contents.devices.map(each => [each, data.series[each.series].label]), state.device,
                        value => {
                            take(value);
                            redraw();
                        })
                    : null));
            take(state.device);
            const redraw = chart(section, 'Roofline', () => isNarrow() ? 440 : 560, () => rooflineChart(state),
                () => rooflineNumbers(state));
            section.append(about);

            function take(device) {
                Object.assign(state, {device, size: sizeOf(device)});
                sizes.replaceChildren(choice('Size', sizeOptions(device), state.size, value => {
                    state.size = value;
                    redraw();
                }));
                about.textContent = rooflineNotes(device, contents.counted);
            }
        });
}

function rooflineNotes(device, counted) {
    const {left_out: left, source, points} = device;
    const shown = left.slice(0, 12).map(id => kernelTitle(id));
    const more = left.length > shown.length ? ` and ${left.length - shown.length} more` : '';
    return `Counted by CPU mode at ${device.counted_at.join(' and ')}, from ${counted}; `
        + 'L2 and shared memory have the same FLOP a byte at other sizes as far as tiles are whole. '
        + 'DRAM: A, B and C of the measured size move once, so that the true FLOP a byte is at most this. '
        + 'L2: whole sectors. Shared memory: the 128 bytes of each wavefront, with conflicts, '
        + 'after the compiler has merged scalar loads where that is recorded. '
        + (left.length ? `Left out, on tensor cores or not counted: ${shown.join(', ')}${more}. ` : '')
        + (points.some(point => point.hot) ? 'Hot rows find operands in L2 and may lie above DRAM\u2019s roof. ' : '')
        + (source ? `Bandwidths: ${source}; into L1, 64 bytes a clock and multiprocessor are assumed.`
                  : 'Bandwidths of DRAM and L2 are not known for this GPU.');
}

function rooflinePoints({device, size}) {
    return device.points.filter(point => point.size === size);
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
            type: 'line',
            label: `roof of ${roof.label}`,
            roof: true,
            data: ends.map(x => ({x, y: Math.min(peak ?? Infinity, x * roof.gb_s)})),
            borderColor: colour(levels[roof.level].shade),
            borderWidth: 2,
            pointRadius: 0,
            pointHitRadius: 0,
        };
    });
    const clouds = shown.flatMap(roof => {
        const {shade, mark, name} = levels[roof.level];
        const there = points.filter(point => point[roof.level] > 0);
        return !there.length ? [] : {
            type: 'scatter',
            label: name,
            rows: there,
            roofGbs: roof.gb_s,
            data: there.map(point => ({x: point[roof.level], y: point.gflops})),
            backgroundColor: faded(colour(shade), .8),
            borderColor: colour('paper'),
            borderWidth: 1,
            pointStyle: mark,
            pointRadius: 6,
            pointHoverRadius: 9,
        };
    });
    return {
        type: 'scatter',
        data: {datasets: [...clouds, ...roofs]},
        plugins: [rules, pointNames],
        options: {
            layout: {padding: {right: 12, top: 16}},
            scales: {
                x: {
                    ...logAxis('FLOP a byte', value => String(value)),
                    min: low,
                    max: high,
                    grid: {color: colour('grid')}
                },
                y: {
                    ...logAxis('GFLOP/s'),
                    ...rangeOf([...points.map(point => point.gflops), ...(peak ? [peak] : [])]),
                    grid: {color: colour('grid')}
                },
            },
            interaction: {mode: 'nearest', axis: 'xy', intersect: true},
            plugins: {
                rules: {
                    lines: peak ? [{axis: 'y', value: peak, text: `peak: ${rate(peak)} GFLOP/s`, colour: colour('ink')}]
                                : []
                },
                tooltip: {
                    filter: item => !item.dataset.roof,
                    callbacks: {
                        title: items => items.length ? pointTitle(items[0]) : '',
                        label: item =>
                            `${item.dataset.label}: ${number(item.raw.x, 2)} FLOP a byte, ${rate(item.raw.y)} GFLOP/s`,
                        footer: items => items.map(item => {
                            const roof = Math.min(peak ?? Infinity, item.raw.x * item.dataset.roofGbs);
                            return `${number(item.raw.y / roof * 100, 1)}% of what this level allows (${rate(roof)})`;
                        }),
                    }
                },
            },
        },
    };
}

function pointTitle(item) {
    const row = item.dataset.rows[item.dataIndex];
    return kernelTitle(row.id, row.label) + (row.hot ? ', hot' : '');
}

/** Names beside points, where there is room; of the texts' rungs and the fastest. */
const pointNames = {
    id: 'pointNames',
    afterDatasetsDraw(drawn) {
        const points = [], named = [];
        drawn.data.datasets.forEach(({rows, namesAll}, index) => {
            if (!rows?.length || !drawn.isDatasetVisible(index)) return;
            const there = drawn.getDatasetMeta(index).data;
            points.push(...there);
            const fastest = rows.reduce((best, row, place) => row.gflops > rows[best].gflops ? place : best, 0);
            for (const place of [fastest, ...rows.keys()])
                if (namesAll || place === fastest || /^[kv]\d/.test(rows[place].id))
                    named.push({point: there[place], text: shortName(rows[place].id)});
        });
        const once = named.filter((each, index) => named.findIndex(other => other.point === each.point) === index);
        placeTexts(drawn, once, points, Chart.defaults.font.size - 2);
    },
};

function rooflineNumbers(state) {
    const keys = state.device.roofs.map(roof => roof.level);
    return {
        columns: [
            {title: 'kernel', text: true}, {title: 'GFLOP/s', show: rate},
            ...keys.map(level => ({title: `FLOP a byte, ${levels[level].name}`, show: value => number(value, 2)}))
        ],
        cells:
            rooflinePoints(state)
                .sort((a, b) => a.gflops - b.gflops)
                .map(point => [kernelTitle(point.id, point.label), point.gflops, ...keys.map(level => point[level])]),
    };
}
