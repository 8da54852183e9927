// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Every multiple of 128: the library against cuBLAS, and a rung with the sizes at which it gets a wave more.

const sweepLines = {
    cublas: {name: 'cuBLAS', shade: 'cublas', dash: [6, 3], mark: 'circle'},
    library: {name: 'the library', shade: 'library', dash: [], mark: 'rect'},
    best: {
        name: 'fastest of the library\u2019s kernels, which need not be what it takes',
        shade: 'engine',
        dash: [5, 3],
        mark: 'rectRot'
    },
    rung: {name: 'rung', shade: 'beyond', dash: [2, 2], mark: 'triangle'},
};

function sweepName(sweep, key) {
    return key === 'rung' ? `rung ${kernelTitle(sweep.rung_id, sweep.rung_label)}` : sweepLines[key].name;
}

function sweepPanel() {
    panel('sweep', 'Sizes in steps of 128', 'Sweep',
        'Whole tiles on a fixed number of multiprocessors: a size that needs one wave of '
            + 'tiles more may be slower than the one before it.',
        data.sweep, (section, contents) => {
            for (const sweep of contents.sweeps) {
                const there = Object.keys(sweepLines).filter(key => sweep[key].some(Boolean));
                if (contents.sweeps.length > 1)
                    section.append(element(
                        'h3', {}, [data.series[sweep.series].label, sweep.conditions].filter(Boolean).join(', ')));
                else if (sweep.conditions)
                    section.append(element('p', {}, `Measured ${sweep.conditions}.`));
                section.append(element('ul', {class: 'legend', 'aria-label': 'Colours'},
                    ...there.map(
                        key => element('li', {}, swatch(sweepLines[key].shade, true), sweepName(sweep, key)))));
                chart(section, 'Sizes in steps of 128', () => isNarrow() ? 360 : 440, () => sweepChart(sweep, there),
                    () => sweepNumbers(sweep, there));
                if (sweep.wave_starts.length)
                    section.append(element('p', {class: 'faint'},
                        `Thin lines, for ${sweepName(sweep, 'rung')} alone: from this size on its `
                            + `tiles of ${sweep.tile.join(' x ')} need one wave more, of one on each `
                            + 'multiprocessor; the number says how many then.'));
            }
        });
}

function sweepChart(sweep, there) {
    const starts = sweep.wave_starts.filter(start => start.waves <= 24);
    return {
        type: 'line',
        data: {
            labels: sweep.sizes,
            datasets: there.map(key => ({
                label: sweepName(sweep, key),
                rows: sweep[key],
                data: sweep.sizes.map((x, index) => ({x, y: sweep[key][index]?.gflops ?? null})),
                borderColor: colour(sweepLines[key].shade),
                backgroundColor: colour(sweepLines[key].shade),
                borderDash: sweepLines[key].dash,
                borderWidth: 2,
                pointRadius: 2.5,
                pointHoverRadius: 6,
                pointStyle: sweepLines[key].mark,
                spanGaps: false,
            })),
        },
        plugins: [rules],
        options: {
            layout: {padding: {top: 18, right: 8}},
            scales: {
                x: {
                    type: 'linear',
                    min: sweep.sizes[0],
                    max: sweep.sizes[sweep.sizes.length - 1],
                    title: {text: 'M = N = K'},
                    grid: {display: false},
                    ...ticksAt(sweep.sizes.filter(size => size % 512 === 0))
                },
                y: {
                    type: 'linear',
                    beginAtZero: true,
                    title: {text: 'GFLOP/s'},
                    grid: {color: colour('grid')},
                    ticks: {callback: shortRate}
                },
            },
            interaction: {mode: 'index', intersect: false},
            plugins: {
                rules: {
                    lines: starts.map((start, index) => ({
                        axis: 'x',
                        value: start.size - 64,
                        dash: [1, 3],
                        text: isNarrow() && starts.length > 8 && index % 3 ? null : String(start.waves),
                        colour: colour('faint')
                    }))
                },
                tooltip: {
                    callbacks: {
                        title: items => items.length ? `${items[0].label} x ${items[0].label} x ${items[0].label}` : '',
                        label: item => `${item.dataset.label}: ${rate(item.raw.y)}${itemKernel(item)}`,
                        footer: items => {
                            const waves = items.length ? sweep.waves[items[0].dataIndex] : null;
                            return waves === null ? ''
                                                  : `${number(waves, 2)} waves of tiles of ${sweep.tile.join(' x ')}`;
                        },
                    }
                },
            },
        },
    };
}

function itemKernel(item) {
    const label = item.dataset.rows[item.dataIndex]?.label;
    return label && label !== 'k0' ? ` (${label})` : '';
}

function sweepNumbers(sweep, there) {
    return {
        columns: [
            {title: 'size'}, ...there.map(key => ({title: `GFLOP/s, ${sweepName(sweep, key)}`, show: rate})),
            {title: `waves of ${sweepName(sweep, 'rung')}`, show: value => number(value, 2)}
        ],
        cells: sweep.sizes.map(
            (size, index) => [size, ...there.map(key => sweep[key][index]?.gflops ?? null), sweep.waves[index]]),
    };
}
