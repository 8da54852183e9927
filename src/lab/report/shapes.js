// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Products that are no squares: each kernel's fastest variant against cuBLAS.

const shapeGroups = {
    skinny: ['Skinny products', 'Skinny', 'A side of 128 at most: few sums, and one operand is read whole for them. Memory is the limit.'],
    batched: ['Batches', 'Batches', 'Many small products at once.'],
    long: ['Small results, long k', 'Long k', 'Too few tiles for all multiprocessors, unless k is cut into parts.'],
    other: ['Other shapes', 'Shapes', 'Rectangular and transposed products.'],
};
const shownOfShape = 4;

function shapesPanels() {
    for (const [key, [title, short, about]] of Object.entries(shapeGroups))
        panel(key, title, short, about, data.shapes[key], (section, contents) => {
            const bars = contents.shapes.flatMap(shape => shape.kernels.slice(0, shownOfShape).map((each, place) => ({shape, each, place})));
            section.append(manySeries ? seriesLegend() : familyLegend(bars.map(({each}) => each.id)));
            const isCompared = bars.some(({each}) => each.cublas !== null);
            chart(section, title, () => 80 + 22 * bars.length, () => shapesChart(bars, isCompared), () => shapesNumbers(contents.shapes));
            section.append(element('p', {class: 'faint'}, `The ${shownOfShape} fastest kernels of each shape, each in its fastest variant; `
                + 'the table has all.'));
        });
}

function shapesChart(bars, isCompared) {
    const value = ({each}) => isCompared ? each.cublas === null ? null : each.cublas / 100 : each.gflops;
    const values = bars.map(value).filter(each => each > 0);
    const name = isCompared ? 'x cuBLAS' : 'GFLOP/s';
    return {
        type: 'bar',
        data: {
            labels: bars.map(({shape, each, place}) => place ? clipped(each.label) : isNarrow() ? [shape.shape, clipped(each.label)] : `${shape.shape}     ${clipped(each.label)}`),
            datasets: [{
                data: bars.map(value), bars, categoryPercentage: .86, barPercentage: .95,
                base: isCompared ? 1 : undefined,
                backgroundColor: bars.map(({shape, each}) => manySeries ? seriesColour(shape.series) : colour(each.family)),
                texts: bars.map(bar => value(bar) === null ? '' : isCompared ? number(value(bar), 2) : rate(value(bar))),
            }],
        },
        plugins: [rules, shapeTexts],
        options: {
            indexAxis: 'y',
            layout: {padding: {top: 14, right: 44}},
            scales: {
                x: isCompared ? {...logAxis('x cuBLAS, logarithmic', each => String(each)), min: Math.min(...values, .5) / 1.3, max: Math.max(...values, 2) * 1.1,
                    grid: {color: colour('grid')}}
                    : {beginAtZero: true, title: {text: name}, ticks: {callback: shortRate}, grid: {color: colour('grid')}},
                y: {grid: {display: false}, ticks: {color: colour('ink'), autoSkip: false, font: {size: isNarrow() ? 9 : 12}}},
            },
            interaction: {mode: 'nearest', axis: 'y', intersect: false},
            plugins: {
                rules: {lines: isCompared ? [{axis: 'x', value: 1, text: 'cuBLAS', colour: colour('ink')}] : []},
                tooltip: {callbacks: {
                    title: items => bars[items[0].dataIndex].shape.shape,
                    label: item => { const {each} = bars[item.dataIndex]; return `${kernelTitle(each.id, each.label)}: ${microseconds(each.us)} us, ${rate(each.gflops)} GFLOP/s`; },
                    footer: items => { const {shape} = bars[items[0].dataIndex]; return [`cuBLAS: ${microseconds(shape.cublas_us)} us`, data.series[shape.series].label]; },
                }},
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
        drawn.getDatasetMeta(0).data.forEach((bar, place) =>
            ctx.fillText(dataset.texts[place], Math.max(bar.x, dataset.base ? drawn.scales.x.getPixelForValue(1) : 0) + 5, bar.y));
        ctx.restore();
    },
};

function shapesNumbers(shapes) {
    return {
        columns: [{title: 'shape', text: true}, {title: 'kernel', text: true}, ...(manySeries ? [{title: 'series', text: true}] : []),
            {title: 'time, us', show: microseconds}, {title: 'GFLOP/s', show: rate}, {title: 'x cuBLAS', show: value => number(value, 2)}],
        cells: shapes.flatMap(shape => [
            ...(shape.cublas_us === null ? [] : [[shape.shape, 'cuBLAS', ...(manySeries ? [data.series[shape.series].label] : []), shape.cublas_us, null, 1]]),
            ...shape.kernels.map(each => [shape.shape, kernelTitle(each.id, each.label), ...(manySeries ? [data.series[shape.series].label] : []),
                each.us, each.gflops, each.cublas === null ? null : each.cublas / 100])]),
    };
}
