// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What CPU mode counts of each kernel, side by side: a GPU is not needed for it.

function countedPanel() {
    panel('counted', 'Counted', 'Counted',
        'What the accesses of each kernel\u2019s text add up to, without a GPU: fewer sectors, words and '
            + 'wavefronts for a product are what most rungs are about.',
        data.counted, (section, contents) => {
            section.append(
                sortableTable(
                    [
                        {title: 'kernel', text: true}, {title: 'id', text: true},
                        ...contents.columns.map(([title, digits]) => ({title, show: value => number(value, digits)})),
                        {title: 'counted at', text: true}
                    ],
                    contents.rows.map(row => [kernelTitle(row.id, row.label), row.id, ...row.values, row.shape]),
                    'What CPU mode counts of each kernel'),
                element('p', {class: 'faint'},
                    `From ${contents.counted}. Wavefronts: of loads and stores, `
                        + 'after the compiler has merged scalar accesses.'));
        });
}
