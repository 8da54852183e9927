// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Pictures of a tile configuration: the block tile in C, warps in a block, lanes in a warp, a thread's
// elements. All in proportion, from the configuration alone.

const lanesOfWarp = 32;

function svg(name, attributes, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

function box(x, y, width, height, fill, line = 'rule', opacity = 1) {
    return svg('rect', {
        x,
        y,
        width,
        height,
        style: `fill: ${fill ? `var(--${fill})` : 'none'}; fill-opacity: ${opacity}; `
            + `stroke: var(--${line}); stroke-width: .5`
    });
}

function words(x, y, text, size = 6, anchor = 'middle') {
    return svg('text',
        {x, y, 'text-anchor': anchor, 'dominant-baseline': 'central', style: `fill: var(--ink); font-size: ${size}px`},
        text);
}

function picture(label, bold, text, width, height, ...shapes) {
    return element('figure', {},
        svg('svg',
            {viewBox: `-1 -1 ${width + 2} ${height + 2}`, role: 'img', 'aria-label': `${label}: ${bold}. ${text}`},
            ...shapes),
        element('figcaption', {}, element('b', {}, bold), ` ${text}`));
}

/** Height and width of `rows` x `cols`, so that the longer is `most` and neither vanishes. */
function fitted(rows, cols, most = 100) {
    const longest = Math.max(rows, cols);
    return {height: Math.max(rows / longest * most, 14), width: Math.max(cols / longest * most, 14)};
}

/** A grid over a rectangle; `filled(row, col)` names the colour of a cell. */
function grid(x, y, width, height, rows, cols, filled) {
    const cells = [];
    for (let row = 0; row < rows; ++row)
        for (let col = 0; col < cols; ++col)
            cells.push(box(x + col * width / cols, y + row * height / rows, width / cols, height / rows,
                filled(row, col), 'rule', .85));
    return cells;
}

function tilePictures(tiles) {
    const pictures = [blockPicture(tiles)];
    if (tiles.warp[0])
        pictures.push(warpsPicture(tiles), lanesPicture(tiles));
    else if (threadGrid(tiles))
        pictures.push(threadsPicture(tiles));
    if (tiles.thread[0]) pictures.push(threadPicture(tiles));
    return element('div', {class: 'tiles'}, ...pictures);
}

/** C as 3 x 3 block tiles with the panels of A and B that one of them needs. */
function blockPicture({block: [m, n, k]}) {
    const {height, width} = fitted(m, n, 32);
    const left = 42, top = 42, depth = k ? Math.max(Math.min(k / Math.max(m, n) * 32, 16), 3) : 0;
    const shapes =
        grid(left, top, 3 * width, 3 * height, 3, 3, (row, col) => row === 1 && col === 1 ? 'worklog' : 'card');
    shapes.push(box(0, top, 36, 3 * height, 'card'), box(left, 0, 3 * width, 36, 'card'),
        box(0, top + height, 36, height, 'chapter', 'rule', .35),
        box(left + width, 0, width, 36, 'beyond', 'rule', .35));
    if (k) shapes.push(box(12, top + height, depth, height, 'chapter'), box(left + width, 12, width, depth, 'beyond'));
    shapes.push(words(18, top + height / 2, 'A'), words(left + width / 2, 18, 'B'),
        words(left + width / 2, top + height / 2, 'C'));
    return picture('Block tile', `Block: ${m} x ${n} of C.`,
        k ? `In shared memory, step by step along k: ${m} x ${k} of A and ${k} x ${n} of B.`
          : 'No tile of A or B is shared: each product loads its factors.',
        left + 3 * width, top + 3 * height, ...shapes);
}

function warpsPicture({block: [m, n], warp: [warpM, warpN, warpK], threads, producers}) {
    const {height, width} = fitted(m, n), rows = m / warpM, cols = n / warpN, count = threads / lanesOfWarp;
    const shapes = grid(0, 0, width, height, rows, cols, (row, col) => row === 0 && col === 0 ? 'chapter' : 'card');
    if (rows * cols <= 16 && rows * cols === count)
        for (let warp = 0; warp < count; ++warp)
            shapes.push(words(
                (warp % cols + .5) * width / cols, (Math.floor(warp / cols) + .5) * height / rows, String(warp), 7));
    const slices = count / (rows * cols);
    return picture('Warps of a block', `Warps: ${count} of ${warpM} x ${warpN}.`,
        (slices > 1 ? `${slices} of them compute the same elements`
                    + (warpK ? `, each for ${warpK} of the k-tile\u2019s k. ` : '. ')
                             : '')
            + (producers ? `${producers / lanesOfWarp} more warps only copy.` : ''),
        width, height, ...shapes);
}

/** The lanes of a warp in each of its steps; the first lane is marked in all of them. */
function lanesPicture({warp: [m, n], thread: [threadM, threadN], n_steps: asked}) {
    const {height, width} = fitted(m, n);
    if (!threadM)
        return picture('Lanes of a warp',
            'Lanes:', 'tensor cores deal the elements out to the 32 lanes\u2019 registers.', width, height,
            box(0, 0, width, height, 'chapter', 'rule', .85));
    const steps = m * n / (lanesOfWarp * threadM * threadN), nSteps = Math.max(asked, 1), mSteps = steps / nSteps;
    const stepRows = m / mSteps / threadM, stepCols = n / nSteps / threadN;
    const shapes = grid(0, 0, width, height, m / threadM, n / threadN,
        (row, col) => row % stepRows === 0 && col % stepCols === 0 ? 'beyond' : 'card');
    for (let step = 1; step < nSteps; ++step)
        shapes.push(svg('line', {
            x1: step * width / nSteps,
            x2: step * width / nSteps,
            y1: 0,
            y2: height,
            style: 'stroke: var(--ink); stroke-width: 1'
        }));
    for (let step = 1; step < mSteps; ++step)
        shapes.push(svg('line', {
            y1: step * height / mSteps,
            y2: step * height / mSteps,
            x1: 0,
            x2: width,
            style: 'stroke: var(--ink); stroke-width: 1'
        }));
    return picture('Lanes of a warp', `Lanes: ${stepRows} x ${stepCols} of ${threadM} x ${threadN}.`,
        steps > 1
            ? `In ${steps} steps side by side, ${mSteps} along m and ${nSteps} along n; marked: one lane\u2019s parts.`
            : 'Marked: one lane\u2019s part.',
        width, height, ...shapes);
}

/** How threads lie in the block tile where no warp has a tile of its own; null where they overlap. */
function threadGrid({block: [m, n], thread: [threadM, threadN], threads}) {
    const rows = m / Math.max(threadM, 1), cols = n / Math.max(threadN, 1);
    return rows * cols === threads ? {rows, cols} : null;
}

function threadsPicture(tiles) {
    const {rows, cols} = threadGrid(tiles), {height, width} = fitted(tiles.block[0], tiles.block[1]);
    return picture('Threads of a block', `Threads: ${rows} x ${cols}.`,
        `${tiles.threads / lanesOfWarp} warps, which have no tile of their own. Marked: one thread\u2019s part.`, width,
        height, ...grid(0, 0, width, height, rows, cols, (row, col) => row === 0 && col === 0 ? 'beyond' : 'card'));
}

/** An outer product: fragments beside the elements that they make. */
function threadPicture({thread: [m, n], warp, threads, block}) {
    const cell = Math.min(80 / Math.max(m, n), 12), left = cell + 4;
    const shapes = [
        ...grid(left, left, n * cell, m * cell, m, n, () => 'beyond'),
        ...grid(0, left, cell, m * cell, m, 1, () => 'chapter'), ...grid(left, 0, n * cell, cell, 1, n, () => 'worklog')
    ];
    const parts = warp[0] ? block[0] * block[1] / threads / (m * n) : 1;
    return picture('A thread', `Thread: ${m} x ${n} elements${parts > 1 ? `, ${parts} times` : ''}.`,
        `${m} of A and ${n} of B, in registers, make ${m * n} products in a step.`, left + n * cell, left + m * cell,
        ...shapes);
}
