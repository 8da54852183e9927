// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The table of the ladder: sorted by a click, filtered by a word.

function ratesPanel() {
    panel('rates', 'The table', 'Table',
        'x parent compares with the rung that a rung grew from, x k1 with the first; \u00b1 is the distance of the '
            + 'quartiles. A click on a heading sorts.',
        data.squares, section => {
            const {squares} = data;
            const state = {size: squares.size, words: ''};
            const place = element('div');
            section.append(element('div', {class: 'controls'},
                               choice('Size', sizeOptions(squares), state.size,
                                   value => {
                                       state.size = value;
                                       fill();
                                   }),
                               element('label', {}, 'Only with', element('input', {
                                   type: 'search',
                                   placeholder: 'tile, k1, TF32 ...',
                                   oninput: event => {
                                       state.words = event.target.value.toLowerCase();
                                       fill();
                                   }
                               }))),
                place);
            fill();

            function fill() {
                const shown = squaresAt(state.size);
                const hasOpponents = shown.some(row => row.opponent), hasThrottling = shown.some(row => row.throttling);
                const columns = [
                    {title: 'kernel', text: true}, {title: 'id', text: true},
                    ...(manySeries ? [{title: 'series', text: true}] : []), {title: 'GFLOP/s', show: rate},
                    {title: 'time, us', show: microseconds}, {title: '\u00b1 %', show: value => number(value, 1)},
                    {title: 'samples'}, {title: 'x parent', show: value => number(value, 2)},
                    {title: 'parent', text: true}, {title: 'x k1', show: value => number(value, 1)},
                    {title: '% cuBLAS', show: value => number(value, 1)},
                    {title: '% peak', show: value => number(value, 1)},
                    {title: 'MHz', about: 'SM clock while it ran', show: value => String(Math.round(value))},
                    {title: 'W', about: 'power while it ran', show: value => number(value, 0)},
                    {title: 'mode', text: true}, ...(hasThrottling ? [{title: 'slowed down by', text: true}] : []),
                    ...(hasOpponents
                            ? [{title: '% opponent', show: value => number(value, 1)}, {title: 'opponent', text: true}]
                            : [])
                ];
                const cells =
                    squares.ids.flatMap(id => shown.filter(row => row.id === id))
                        .map(row => [kernelTitle(row.id, row.label), row.id,
                                 ...(manySeries ? [data.series[row.series].label] : []), row.gflops, row.us, row.spread,
                                 row.samples, row.parent, row.parent === null ? null : kernel(row.id).parent, row.first,
                                 row.cublas, row.peak, row.mhz, row.watts, row.mode,
                                 ...(hasThrottling ? [row.throttling || null] : []),
                                 ...(hasOpponents ? [row.opponent?.[1], row.opponent?.[0]] : [])]);
                const wanted = state.words.split(/\s+/).filter(Boolean);
                place.replaceChildren(sortableTable(columns, cells.filter(row => {
                    const text = row.filter(value => typeof value === 'string').join(' ').toLowerCase();
                    return wanted.every(word => text.includes(word));
                }),
                    `Rates at ${state.size}`));
            }
        });
}
