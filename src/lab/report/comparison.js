// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Two runs: what the second changed beyond noise.

const verdicts = {
    faster: 'faster',
    slower: 'slower',
    same: 'within noise',
    broken: 'no longer right',
    mended: 'right again',
    'did not run': 'did not run',
    ran: 'ran this time',
    'other case': 'another case',
    unknown: 'noise unknown',
    untimed: 'not timed',
    'only before': 'only in the first',
    'only after': 'only in the second',
};

/** "\u25b2 3.2%" of a square product of the second run that got faster beyond noise; else null. */
function changeOf(row) {
    if (!data.comparison) return null;
    const found = data.comparison.rows.find(each => each.square && each.id === row.id && each.label === row.label
            && each.size === row.size && each.after_us === row.us);
    if (!found || (found.verdict !== 'faster' && found.verdict !== 'slower')) return null;
    const speed = (found.after_gflops / found.before_gflops - 1) * 100;
    return `${found.verdict === 'faster' ? '\u25b2' : '\u25bc'} ${signed(speed, 1)}%`;
}

function comparisonPanel() {
    const {comparison} = data;
    if (!comparison) return;
    panel('comparison', 'What changed', 'Changes', null, comparison, section => {
        section.append(element('p', {}, `From ${comparison.before} to ${comparison.after}.`));
        if (comparison.devices_differ)
            section.append(element('div', {class: 'note devices'},
                element('p', {},
                    'The two runs are of different devices: '
                        + 'what differs is the devices\u2019 as well as the kernels\u2019.')));
        section.append(element('ul', {class: 'facts'},
            ...Object.entries(verdicts)
                .filter(([verdict]) => comparison.verdicts[verdict])
                .map(([verdict, name]) => element('li', {},
                         element('b', {class: verdictClass(verdict)}, String(comparison.verdicts[verdict])), name))));
        section.append(element('p', {class: 'faint'},
            `Noise is the largest of ${number(comparison.between_runs, 1)}%, by which runs of the `
                + 'same code differ, the rows\u2019 '
                + 'spreads, and three standard errors of the difference of their medians, '
                + 'from spread and number of samples.'));
        section.append(...changesHeat(comparison), element('h3', {}, 'All rows'), changesTable(comparison));
        section.append(element('h3', {}, 'Environments'),
            comparison.environment.length ? scrollable(
                element('table', {class: 'environment'},
                    element('thead', {},
                        element('tr', {},
                            ...['', comparison.before, comparison.after].map(
                                name => element('th', {class: 'text', scope: 'col'}, name)))),
                    element('tbody', {},
                        ...comparison.environment.map(([key, before, after]) => element('tr', {},
                                                          element('th', {class: 'text', scope: 'row'}, key),
                                                          element('td', {class: 'text'}, before || '-'),
                                                          element('td', {class: 'text'}, after || '-'))))),
                'What differs between the environments')
                                          : element('p', {}, 'Nothing differs but the date.'));
    });
}

function verdictClass(verdict) {
    return {faster: 'better', mended: 'better', slower: 'worse', broken: 'worse'}[verdict] || null;
}

/** Change of speed by kernel and size; what is within noise is grey. */
function changesHeat(comparison) {
    const rows = comparison.rows.filter(row => row.square && row.change !== null);
    if (!rows.length) return [];
    const sizes = [...new Set(rows.map(row => row.size))].sort((a, b) => a - b);
    const lines = [...new Map(rows.map(row => [`${row.label} ${row.conditions}`, row])).values()];
    const speed = row => (row.after_gflops / row.before_gflops - 1) * 100;
    return [
        element('h3', {}, 'Change of speed, %'),
        heatTable('Change of speed in per cent by kernel and size', sizes, lines.map(({id, label, conditions}) => ({
            title: [kernelTitle(id, label), conditions].filter(Boolean).join(', '),
            cells: sizes.map(size => {
                const row =
                    rows.find(each => each.label === label && each.conditions === conditions && each.size === size);
                if (!row) return element('td', {class: 'none'}, '-');
                const changed = row.verdict === 'faster' || row.verdict === 'slower';
                const about =
                    `${verdicts[row.verdict]}; noise ${number(row.noise, 1)}%${row.notes ? `; ${row.notes}` : ''}`;
                return changed ? paintedCell(signed(speed(row), 1), mixed(diverging, .5 + speed(row) / 40), about)
                               : element('td', {title: about, class: 'none'}, signed(speed(row), 1));
            }),
        })))
    ];
}

function changesTable(comparison) {
    const place = element('div');
    let only = comparison.verdicts.faster || comparison.verdicts.slower ? 'changed' : 'all';
    const fill = () => place.replaceChildren(sortableTable(
        [
            {title: 'kernel', text: true}, {title: 'shape', text: true}, {title: 'before, us', show: microseconds},
            {title: 'after, us', show: microseconds}, {title: 'time, %', show: value => signed(value, 1)},
            {title: 'noise, %', show: value => number(value, 1)}, {title: 'verdict', text: true},
            {title: 'note', text: true, long: true}
        ],
        comparison.rows.filter(row => only === 'all' || !['same', 'only before', 'only after'].includes(row.verdict))
            .map(row => [kernelTitle(row.id, row.label), [row.shape, row.conditions].filter(Boolean).join(', '),
                     row.before_us, row.after_us, row.change, row.noise,
                     element('span', {class: verdictClass(row.verdict)}, verdicts[row.verdict]), row.notes]),
        'Changes'));
    fill();
    return element('div', {},
        element('div', {class: 'controls'},
            choice('Rows', [['changed', 'what changed or cannot be told'], ['all', 'all']], only,
                value => {
                    only = value;
                    fill();
                })),
        place);
}
