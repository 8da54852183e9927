// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Kernel by size as a table whose cells are coloured.

// Viridis in nine steps: even in lightness, so that it reads without colour too.
const viridis = ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'];
// From orange over grey to blue, around a middle that means "alike".
const diverging = ['#b35806', '#e08214', '#fdb863', '#fee0b6', '#f0f0f0', '#c6dbef', '#9ecae1', '#4292c6', '#2166ac'];

/** A colour between the nearest two, for 0 to 1. */
function mixed(palette, share) {
    const at = Math.min(Math.max(share, 0), 1) * (palette.length - 1),
          low = Math.min(Math.floor(at), palette.length - 2);
    const part = (hex, place) => parseInt(hex.slice(1 + 2 * place, 3 + 2 * place), 16);
    return [0, 1, 2].map(
        place => Math.round(part(palette[low], place) * (1 - at + low) + part(palette[low + 1], place) * (at - low)));
}

function paintedCell(text, rgb, title) {
    const light = .2126 * rgb[0] + .7152 * rgb[1] + .0722 * rgb[2] > 115;
    return element(
        'td', {style: `background: rgb(${rgb.join(',')}); color: ${light ? '#101418' : '#ffffff'}`, title}, text);
}

function heatTable(label, sizes, rows) {
    return scrollable(
        element('table', {class: 'heat'}, element('caption', {class: 'skip'}, label),
            element('thead', {},
                element('tr', {}, element('th', {scope: 'col', class: 'text'}, 'kernel'),
                    ...sizes.map(size => element('th', {scope: 'col'}, String(size))))),
            element('tbody', {}, ...rows.map(({title,
                cells}) => element('tr', {}, element('th', {scope: 'row', class: 'text'}, title), ...cells)))),
        label);
}

function heatPanel() {
    panel('heat', 'Kernel by size', 'Heat map',
        'The same numbers at a glance: lighter is faster, on a logarithmic scale; '
            + 'or against cuBLAS, where blue is faster and orange slower.',
        data.squares, section => {
            const {squares} = data;
            const state = {unit: 'gflops', series: squares.rows[0].series};
            adjust.heat = changes => {
                Object.assign(state, changes);
                fill();
            };
            const place = element('div'), caption = element('p', {class: 'source faint'});
            section.append(
                element('div', {class: 'controls'},
                    choice('Unit', [['gflops', 'GFLOP/s'], ['cublas', '% of cuBLAS']], state.unit,
                        value => {
                            state.unit = value;
                            fill();
                        }),
                    manySeries ? choice('Of', data.series.map((each, index) => [index, each.label]), state.series,
                        value => {
                            state.series = value;
                            fill();
                        })
                               : null),
                place, caption);
            fill();

            function fill() {
                const rows = squares.rows.filter(row => row.series === state.series);
                caption.textContent = sourceText(null, [data.series[state.series]]);
                const values = rows.map(row => row[state.unit]).filter(value => value > 0).map(Math.log10);
                const low = Math.min(...values), high = Math.max(...values);
                const paint = state.unit === 'gflops'
                    ? value => mixed(viridis, (Math.log10(value) - low) / (high - low || 1))
                    : value => mixed(diverging, .5 + Math.log2(value / 100) / 4);  // a quarter of it to four times it
                const text = units[state.unit].text;
                const ids = squares.ids.filter(id => rows.some(row => row.id === id && row[state.unit] !== null));
                place.replaceChildren(
                    heatTable(`${units[state.unit].name} by kernel and size`, squares.sizes, ids.map(id => ({
                        title: kernelTitle(id),
                        cells: squares.sizes.map(size => {
                            const row = rows.find(each => each.id === id && each.size === size);
                            if (!row || row[state.unit] === null) return element('td', {class: 'none'}, '-');
                            return paintedCell(
                                text(row[state.unit]), paint(row[state.unit]), rowFooter(row).join('\n'));
                        }),
                    }))));
            }
        });
}
