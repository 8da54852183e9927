// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Each rung: idea, tiles, counters beside its parent's, and the lines that changed.

function rungsPanel() {
    panel('rungs', 'Rung by rung', 'Rungs',
        'What each rung is, how its tiles add up, what CPU mode counts of it beside its parent, and '
            + 'the lesson: the lines that changed.',
        data.rungs, (section, contents) => {
            section.append(element('div', {class: 'controls'},
                element('button', {type: 'button', onclick: () => openAll(true)}, 'Open all'),
                element('button', {type: 'button', onclick: () => openAll(false)}, 'Close all')));
            for (const rung of contents.rungs) section.append(rungDetails(rung, contents));
            function openAll(open) {
                for (const each of section.querySelectorAll('details.rung')) each.open = open;
            }
        });
}

function rungDetails(rung, contents) {
    const mark = rung.arithmetic === 'fp32' ? '' : ` (${rung.arithmetic.toUpperCase()})`;
    const details = element('details', {class: 'rung', id: `rung-${rung.id}`},
        element('summary', {}, element('b', {}, rung.title + mark), ' ',
            element('span', {class: 'id'}, rung.id === rung.title.replace(/^\d+ /, '') ? '' : rung.id,
                rung.kind === 'rung' ? '' : ` ${rung.kind}`),
            element('span', {class: 'noun'}, rung.noun)));
    return filledWhenOpened(details, () => {
        if (!details.querySelector('.body')) details.append(rungBody(rung, contents));
    });
}

function rungBody(rung, contents) {
    const body = element('div', {class: 'body'}, element('p', {}, element('b', {}, rung.idea)));
    if (rung.parent)
        body.append(element('p', {class: 'faint'}, 'Grown from ',
            element('a', {href: `#rung-${rung.parent}`, onclick: openTarget}, rung.parent),
            `. Asks for: ${rung.requirements}.`));
    if (rung.before) body.append(element('p', {}, element('b', {}, 'Before: '), rung.before));
    const bars = measuredBars(rung);
    if (bars) body.append(element('h3', {}, `Measured at ${data.squares.size}`), bars);
    body.append(element('h3', {},
                    rung.variants > 1 ? `Tiles of ${rung.variant}, the first of ${rung.variants} variants` : 'Tiles'),
        tilePictures(rung.tiles));
    body.append(element(
        'ul', {class: 'faint'}, ...rung.tiles.sums.map(([part, text]) => element('li', {}, `${part}: ${text}`))));
    if (rung.picture.trim())
        body.append(element('h3', {}, 'In the file\u2019s own picture'),
            preformatted(rung.picture, `Picture of ${rung.title}`));
    if (rung.cost.trim()) body.append(element('h3', {}, 'Cost'), preformatted(rung.cost, `Cost of ${rung.title}`));
    body.append(element('h3', {}, 'Counters'), ...countersOf(rung, contents));
    if (rung.main_loop.length) body.append(element('h3', {}, 'The main loop, as compiled'), mainLoopOf(rung));
    if (rung.look) body.append(element('p', {}, element('b', {}, 'Look at: '), rung.look));
    if (rung.diff !== undefined)
        body.append(
            element('h3', {}, `The lesson: ${rung.added} lines added, ${rung.removed} removed`), diffBlock(rung));
    if (rung.next) body.append(element('p', {}, element('b', {}, 'Next: '), rung.next));
    return body;
}

function openTarget(event) {
    const target = document.getElementById(event.currentTarget.getAttribute('href').slice(1));
    if (target) target.open = true;
}

function preformatted(text, label) {
    return element('pre', {tabindex: '0', role: 'region', 'aria-label': label}, text.replace(/\n+$/, ''));
}

/** Itself, its parent and cuBLAS as bars, of each series. */
function measuredBars(rung) {
    const squares = data.squares;
    if (squares.missing) return null;
    const cublas = rung.arithmetic === 'tf32' ? 'k0_tf32' : 'k0';
    const rows = [cublas, rung.parent, rung.id].filter(Boolean).flatMap(
        id => squaresAt(squares.size).filter(row => row.id === id));
    if (!rows.some(row => row.id === rung.id)) return null;
    const most = Math.max(...rows.map(row => row.gflops));
    return element('div', {class: 'bars'},
        ...rows.flatMap(
            row => [element('span', {},
                        kernelTitle(row.id, row.label) + (manySeries ? `, ${data.series[row.series].label}` : '')),
                element('span', {class: 'value'}, element('span', {
                    class: 'bar',
                    style: `width: calc((100% - 11rem) * ${row.gflops / most}); `
                        + `background: var(--${kernel(row.id).family})`
                }),
                    `${rate(row.gflops)} GFLOP/s`,
                    row.id === rung.id && row.parent !== null ? element('b', {}, `${number(row.parent, 2)} x`)
                                                              : null)]));
}

function countersOf(rung, contents) {
    if (!rung.counters.length)
        return [element('div', {class: 'note'},
            element('p', {}, 'Not counted in the files that were given, nor in those of this program. This counts it:'),
            element('code', {class: 'command'}, `tilewright count ${rung.id} --output counts.json`))];
    const both = rung.counters.some(group => group.rows.some(([, before]) => before !== null));
    const columns = element('tr', {}, element('th', {class: 'text', scope: 'col'}, `at ${rung.counted_at}`),
        ...(both ? [element('th', {scope: 'col'}, rung.parent)] : []), element('th', {scope: 'col'}, rung.id),
        ...(both ? [element('th', {scope: 'col'}, 'x')] : []));
    const rows = rung.counters.flatMap(
        group => [element('tr', {},
                      element('th', {class: 'text faint', scope: 'colgroup', colspan: both ? '4' : '2'}, group.title)),
            ...group.rows.map(([label, before, after, digits]) => {
                const ratio = before && after !== null ? after / before : null;
                const changed = both && ratio !== null && Math.abs(ratio - 1) > 1e-9;
                return element('tr', {},
                    element('th', {class: 'text', scope: 'row'}, changed ? element('b', {}, label) : label),
                    ...(both ? [element('td', {}, number(before, digits))] : []),
                    element('td', {}, number(after, digits)),
                    ...(both ? [element('td', {},
                            ratio === null ? '-'
                                : changed  ? element('b', {}, number(ratio, ratio < .1 ? 3 : 2))
                                           : '1')]
                             : []));
            })]);
    return [
        scrollable(
            element('table', {class: 'counters'}, element('caption', {class: 'skip'}, `Counters of ${rung.title}`),
                element('thead', {}, columns), element('tbody', {}, ...rows)),
            `Counters of ${rung.title}`),
        element('p', {class: 'faint'}, `What the accesses of the kernel\u2019s text come to, from ${contents.counted}.`)
    ];
}

/** What the compiler made of the inner loop: how wide its loads are, and what else there is beside FFMAs. */
function mainLoopOf(rung) {
    const all = rung.main_loop.find(([key]) => key === 'instructions')?.[1];
    return scrollable(
        element('table', {class: 'counters'}, element('caption', {class: 'skip'}, `Main loop of ${rung.title}`),
            element('thead', {},
                element('tr', {},
                    ...['instructions of a way round', 'number', '% of all'].map(
                        (title, place) => element('th', {scope: 'col', class: place ? null : 'text'}, title)))),
            element('tbody', {},
                ...rung.main_loop.map(
                    ([key, value]) => element('tr', {}, element('th', {class: 'text', scope: 'row'}, loopTitle(key)),
                        element('td', {}, number(value, value % 1 ? 1 : 0)),
                        element('td', {}, all ? number(value / all * 100, 1) : '-'))))),
        `Main loop of ${rung.title}`);
}

/** "shared_loads_128" as "shared loads, 128 bits". */
function loopTitle(key) {
    const [, what, width] = key.match(/^(.*?)(?:_(\d+))?$/);
    const name = {instructions: 'all', ffma: 'FFMA', mma: 'mma'}[what] || what.replace(/_/g, ' ');
    return width ? `${name}, ${width} bits` : name;
}

function diffBlock(rung) {
    const block = element(
        'pre', {class: 'diff', tabindex: '0', role: 'region', 'aria-label': `Lines that ${rung.title} changes`});
    for (const line of rung.diff.replace(/\n$/, '').split('\n')) {
        const kind = {'+': 'plus', '-': 'minus', '@': 'hunk'}[line[0]];
        block.append(element('span', {class: kind || null}, line));
    }
    return block;
}
