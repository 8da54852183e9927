// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Tile quantisation: which blocks of a size are full, and how they fill the multiprocessors wave by wave.

const mostDrawn = 40;  // tiles along a side, beyond which cells are too small to be seen
const mostWaves = 12;

function quantisationPanel() {
    panel('quantisation', 'Whole tiles, whole waves', 'Quantisation',
        'A size that is no multiple of the tile has partial blocks at its edges, which take a '
            + 'whole block\u2019s place; and the last wave of blocks leaves multiprocessors without work.',
        data.rungs, (section, contents) => {
            const rungs = contents.rungs.filter(rung => rung.tiles.block[0]);
            const state = {rung: rungs.find(rung => rung.id === 'k10') ?? rungs[0], size: 4200};
            const place = element('div', {class: 'tiles', 'aria-live': 'polite'});
            const fill = () => place.replaceChildren(...quantisationPictures(state, contents));
            section.append(element('div', {class: 'controls'},
                               choice('Rung', rungs.map(rung => [rung, rung.title]), state.rung,
                                   value => {
                                       state.rung = value;
                                       fill();
                                   }),
                               element('label', {}, 'M = N =', element('input', {
                                   type: 'number',
                                   min: 1,
                                   max: 65536,
                                   value: state.size,
                                   oninput: event => {
                                       const size = Math.floor(Number(event.target.value));
                                       if (size >= 1 && size <= 65536) {
                                           state.size = size;
                                           fill();
                                       }
                                   }
                               }))),
                place);
            fill();
        });
}

function quantisationPictures({rung, size}, contents) {
    const [tileM, tileN] = rung.tiles.block;
    const rows = Math.ceil(size / tileM), cols = Math.ceil(size / tileN), blocks = rows * cols;
    const atOnce = contents.multiprocessors * (rung.occupancy?.blocks || 1);
    return [partialBlocks(size, tileM, tileN, rows, cols), wavesPicture(blocks, atOnce, contents, rung)];
}

/** C in its blocks; what lies beyond C of the last ones is not filled. */
function partialBlocks(size, tileM, tileN, rows, cols) {
    const scale = 130 / Math.max(rows * tileM, cols * tileN), shapes = [];
    const full = Math.floor(size / tileM) * Math.floor(size / tileN);
    const share = number(size * size / (rows * tileM * cols * tileN) * 100, 1);
    const text = `${rows} x ${cols} of ${tileM} x ${tileN}, ${full} of ${rows * cols} full; ${share}% of `
        + 'what they compute is of C.';
    if (rows > mostDrawn || cols > mostDrawn)
        shapes.push(box(0, 0, cols * tileN * scale, rows * tileM * scale, 'card'),
            box(0, 0, size * scale, size * scale, 'worklog', 'rule', .85));
    else
        for (let row = 0; row < rows; ++row)
            for (let col = 0; col < cols; ++col) {
                const x = col * tileN * scale, y = row * tileM * scale;
                const height = Math.min(tileM, size - row * tileM), width = Math.min(tileN, size - col * tileN);
                shapes.push(box(x, y, tileN * scale, tileM * scale, 'card'),
                    box(x, y, width * scale, height * scale,
                        height === tileM && width === tileN ? 'worklog' : 'chapter', 'rule', .85));
            }
    return picture('Blocks of C', 'Blocks:', text, cols * tileN * scale, rows * tileM * scale, ...shapes);
}

/** A bar a wave, filled as far as it has blocks. */
function wavesPicture(blocks, atOnce, contents, rung) {
    const waves = Math.ceil(blocks / atOnce), drawn = Math.min(waves, mostWaves), height = 130 / mostWaves;
    const shapes = [];
    for (let place = 0; place < drawn; ++place) {
        const wave = place === drawn - 1 ? waves - 1 : place;  // the last is always there
        const share = Math.min(blocks - wave * atOnce, atOnce) / atOnce, y = place * height;
        shapes.push(words(8, y + height / 2, String(wave + 1), 7), box(18, y + 1, 110, height - 2, 'card'),
            box(18, y + 1, 110 * share, height - 2, share === 1 ? 'worklog' : 'chapter', 'rule', .85));
    }
    const last = blocks - (waves - 1) * atOnce;
    return picture('Waves', `Waves: ${number(blocks / atOnce, 2)}.`,
        `${blocks} blocks, ${atOnce} at a time: `
            + `${contents.multiprocessors} multiprocessors of an `
            + `${contents.gpu} hold ${rung.occupancy?.blocks || 1} each. `
            + `The last wave has ${last}, ${number(last / atOnce * 100, 0)}% of its places.`
            + (waves > drawn ? ` The first ${drawn - 1} and the last are drawn.` : ''),
        130, Math.max(drawn, 6) * height, ...shapes);
}
