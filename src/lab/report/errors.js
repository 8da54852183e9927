// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Error against speed, by what products are made of.

const arithmeticLooks = {
    fp32: ['worklog', 'circle'],
    tf32: ['tensor', 'triangle'],
    tf32x3: ['chapter', 'rect'],
    fp16x3: ['engine', 'rectRot'],
    bf16x6: ['beyond', 'star'],
    bf16x9: ['other', 'crossRot'],
};

function errorsPanel() {
    panel('errors', 'Error against speed', 'Error',
        'The largest error of an element, in units of the sum of its products\u2019 absolute '
            + 'values, |A||B|; further down is more accurate, further right faster.',
        data.errors, (section, contents) => {
            const state = {size: contents.size};
            if (contents.alone)
                section.append(element('div', {class: 'note'},
                    element('p', {},
                        `All rows here compute in ${contents.alone.toUpperCase()}. This adds the compute modes:`),
                    element('code', {class: 'command'}, contents.command)));
            section.append(element('div', {class: 'controls'},
                               choice('Size', sizeOptions(contents), state.size,
                                   value => {
                                       state.size = value;
                                       redraw();
                                   })),
                element('ul', {class: 'legend', 'aria-label': 'Colours'},
                    ...Object.keys(arithmeticLooks)
                        .filter(each => contents.points.some(point => point.arithmetic === each))
                        .map(each => element('li', {}, swatch(arithmeticLooks[each][0]), each.toUpperCase()))));
            const none = contents.points.filter(point => point.error === 0).length;
            if (none)
                section.append(element('p', {class: 'faint'},
                    `${none} row${none === 1 ? ' has' : 's have'} no error at all: a logarithmic axis has no place for `
                        + 'them, and the table has them.'));
            const redraw = chart(section, 'Error against speed', () => isNarrow() ? 380 : 460,
                () => errorsChart(pointsAt(contents, state)), () => errorsNumbers(pointsAt(contents, state)));
        });
}

function pointsAt(contents, {size}) {
    return contents.points.filter(point => point.size === size);
}

function exponent(value) {
    if (value === 0) return '0';
    const power = Math.floor(Math.log10(value) + 1e-9), digits = value / 10 ** power;
    const raised =
        [...String(power)]
            .map(sign => '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079'['0123456789'.indexOf(sign)]
                    ?? '\u207b')
            .join('');
    return `${digits > 1.05 ? `${number(digits, 1)} \u00b7 ` : ''}10${raised}`;
}

function errorsChart(points) {
    const names = [...new Set(points.map(point => point.arithmetic))];
    const drawable = points.filter(point => point.error > 0);
    return {
        type: 'scatter',
        data: {
            datasets: names.flatMap(name => {
                const [shade, mark] = arithmeticLooks[name] || ['other', 'circle'];
                const rows = drawable.filter(point => point.arithmetic === name);
                return !rows.length ? [] : {
                    label: name.toUpperCase(),
                    rows,
                    data: rows.map(point => ({x: point.gflops, y: point.error})),
                    backgroundColor: faded(colour(shade), .8),
                    borderColor: mark === 'star' || mark === 'crossRot' ? colour(shade) : colour('paper'),
                    borderWidth: mark === 'star' || mark === 'crossRot' ? 2 : 1,
                    pointStyle: mark,
                    pointRadius: 6,
                    pointHoverRadius: 9,
                };
            })
        },
        plugins: [pointNames],
        options: {
            layout: {padding: {right: 16, top: 8}},
            scales: {
                x: {
                    ...logAxis('GFLOP/s'),
                    ...rangeOf(drawable.map(point => point.gflops), 1.5),
                    grid: {color: colour('grid')}
                },
                y: {
                    ...logAxis('largest error / |A||B|', exponent),
                    ...rangeOf(drawable.map(point => point.error), 2.5),
                    grid: {color: colour('grid')}
                },
            },
            interaction: {mode: 'nearest', axis: 'xy', intersect: true},
            plugins: {
                tooltip: {
                    callbacks: {
                        title: items => items.length ? pointTitle(items[0]) : '',
                        label: item => `${item.dataset.label}: ${exponent(item.raw.y)}, ${rate(item.raw.x)} GFLOP/s`,
                        footer: items => items.flatMap(item => {
                            const row = item.dataset.rows[item.dataIndex];
                            return [
                                row.bound === null ? null : `allowed: ${exponent(row.bound)}`,
                                row.dist ? `data: ${row.dist}` : null, manySeries ? data.series[row.series].label : null
                            ].filter(Boolean);
                        }),
                    }
                }
            },
        },
    };
}

function errorsNumbers(points) {
    return {
        columns: [
            {title: 'kernel', text: true}, {title: 'in', text: true}, {title: 'GFLOP/s', show: rate},
            {title: 'largest error / |A||B|', show: exponent}, {title: 'allowed', show: exponent},
            {title: 'data', text: true}, ...(manySeries ? [{title: 'series', text: true}] : [])
        ],
        cells: points.map(
            point => [kernelTitle(point.id, point.label), point.arithmetic.toUpperCase(), point.gflops, point.error,
                point.bound, point.dist, ...(manySeries ? [data.series[point.series].label] : [])]),
    };
}
