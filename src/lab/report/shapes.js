// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Products that are no squares: each kernel's fastest variant against cuBLAS in as accurate an arithmetic.

const shapeGroups = {
    skinny: [
        'Skinny products', 'Skinny',
        'A side of 128 at most: few sums, and one operand is read whole for them. Memory is the limit.'
    ],
    batched: ['Batches', 'Batches', 'Many small products at once.'],
    long: ['Small results, long k', 'Long k', 'Too few tiles for all multiprocessors, unless k is cut into parts.'],
    other: ['Other shapes', 'Shapes', 'Rectangular and transposed products.'],
};
const barsOfShape = 4, shapesOfPage = 12;

function shapesPanels() {
    for (const [key, [title, short, about]] of Object.entries(shapeGroups))
        panel(key, title, short, about, data.shapes[key], (section, {shapes}) => shapesPanel(section, title, shapes));
}

function shapesPanel(section, title, shapes) {
    const state = {first: 0};
    const pages = Array.from({length: Math.ceil(shapes.length / shapesOfPage)}, (_, page) => page * shapesOfPage);
    const bars = () =>
        shapes.slice(state.first, state.first + shapesOfPage)
            .flatMap(shape => shape.kernels.slice(0, barsOfShape).map((each, place) => ({shape, each, place})));
    const isCompared = shapes.some(shape => shape.kernels.some(each => each.cublas !== null));
    if (pages.length > 1)
        section.append(element('div', {class: 'controls'},
            choice('Shapes',
                pages.map(first => [first,
                              `${first + 1} to ${Math.min(first + shapesOfPage, shapes.length)} of ${shapes.length}`]),
                0, value => {
                    state.first = value;
                    redraw();
                })));
    section.append(
        manySeries ? seriesLegend() : familyLegend(shapes.flatMap(shape => shape.kernels.map(each => each.id))));
    const redraw = chart(section, title, () => 80 + 22 * bars().length, () => shapesChart(bars(), isCompared),
        () => shapesNumbers(shapes));
    section.append(element('p', {class: 'faint'},
        `The ${barsOfShape} fastest kernels of each shape, each in its fastest variant; `
            + 'the table has all. In TF32 the opponent is cuBLAS in TF32, else cuBLAS in FP32.'));
}

/** "1x4096x4096, TF32, hot" */
function shapeTitle(shape) {
    return [shape.shape, shape.tf32 ? 'TF32' : null, shape.conditions].filter(Boolean).join(', ');
}

/** The kernel as short as a bar's label must be, with what it computes in. */
function shapeKernel({id, label, arithmetic}) {
    const known = kernel(id).arithmetic === 'fp32' || label.includes(arithmetic);
    return clipped(known ? label : `${label} (${arithmetic.toUpperCase()})`);
}

function barLabel({shape, each, place}) {
    if (place) return shapeKernel(each);
    return isNarrow() ? [shapeTitle(shape), shapeKernel(each)] : `${shapeTitle(shape)}     ${shapeKernel(each)}`;
}

function shapesChart(bars, isCompared) {
    const value = ({each}) => isCompared ? each.cublas : each.gflops;
    const values = bars.map(value).filter(each => each > 0);
    const across = isCompared ? {
        ...logAxis('x cuBLAS, logarithmic', each => String(each)),
        min: Math.min(...values, .5) / 1.3,
        max: Math.max(...values, 2) * 1.1
    }
                              : {beginAtZero: true, title: {text: 'GFLOP/s'}, ticks: {callback: shortRate}};
    return {
        type: 'bar',
        data: {
            labels: bars.map(barLabel),
            datasets: [{
                data: bars.map(value),
                bars,
                categoryPercentage: .86,
                barPercentage: .95,
                base: isCompared ? 1 : undefined,
                backgroundColor: bars.map(
                    ({shape, each}) => manySeries ? seriesColour(shape.series) : colour(kernel(each.id).family)),
                texts: bars.map(bar => value(bar) === null ? ''
                        : isCompared                       ? number(value(bar), 2)
                                                           : rate(value(bar))),
            }],
        },
        plugins: [rules, shapeTexts],
        options: {
            indexAxis: 'y',
            layout: {padding: {top: 14, right: 44}},
            scales: {
                x: {...across, grid: {color: colour('grid')}},
                y: {
                    grid: {display: false},
                    ticks: {color: colour('ink'), autoSkip: false, font: {size: isNarrow() ? 9 : 12}}
                },
            },
            interaction: {mode: 'nearest', axis: 'y', intersect: false},
            plugins: {
                rules: {lines: isCompared ? [{axis: 'x', value: 1, text: 'cuBLAS', colour: colour('ink')}] : []},
                tooltip: {
                    callbacks: {
                        title: items => items.length ? shapeTitle(bars[items[0].dataIndex].shape) : '',
                        label: item => {
                            const {each} = bars[item.dataIndex];
                            return `${kernelTitle(each.id, each.label)}: ${microseconds(each.us)} us, `
                                + `${rate(each.gflops)} GFLOP/s`;
                        },
                        footer: items => items.flatMap(item => {
                            const {shape} = bars[item.dataIndex];
                            return [
                                `cuBLAS${shape.tf32 ? ' TF32' : ''}: ${microseconds(shape.cublas_us)} us`,
                                data.series[shape.series].label
                            ];
                        }),
                    }
                },
            },
        },
    };
}

/** As barTexts, but bars begin at 1: a slower kernel's number stands right of the line. */
const shapeTexts = {
    id: 'shapeTexts',
    afterDatasetsDraw(drawn) {
        const {ctx} = drawn, [dataset] = drawn.data.datasets;
        ctx.save();
        ctx.font = `${Chart.defaults.font.size - 1}px ${Chart.defaults.font.family}`;
        ctx.textBaseline = 'middle';
        ctx.fillStyle = colour('ink');
        drawn.getDatasetMeta(0).data.forEach(
            (bar, place) => ctx.fillText(dataset.texts[place],
                Math.max(bar.x, dataset.base ? drawn.scales.x.getPixelForValue(1) : 0) + 5, bar.y));
        ctx.restore();
    },
};

function shapesNumbers(shapes) {
    const series = shape => manySeries ? [data.series[shape.series].label] : [];
    return {
        columns: [
            {title: 'shape', text: true}, {title: 'kernel', text: true}, {title: 'in', text: true},
            ...(manySeries ? [{title: 'series', text: true}] : []), {title: 'time, us', show: microseconds},
            {title: 'GFLOP/s', show: rate}, {title: 'x cuBLAS', show: value => number(value, 2)}
        ],
        cells: shapes.flatMap(
            shape => [...(shape.cublas_us === null ? [] : [[
                shapeTitle(shape), 'cuBLAS', shape.tf32 ? 'TF32' : 'FP32', ...series(shape), shape.cublas_us, null, 1
            ]]),
                ...shape.kernels.map(
                    each => [shapeTitle(shape), kernelTitle(each.id, each.label), each.arithmetic.toUpperCase(),
                        ...series(shape), each.us, each.gflops, each.cublas])]),
    };
}
