// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Where the numbers come from: each file's environment, and rows that have none.

function filesPanel() {
    panel('files', 'Files and environments', 'Environment', null, data.files, (section, contents) => {
        for (const file of contents.files) {
            const counts = [
                file.rows ? `${file.rows} rows` : null, file.counts ? `${file.counts} kernels counted` : null,
                file.tuned ? `${file.tuned} problem${file.tuned === 1 ? '' : 's'} tuned` : null,
                file.repeated ? `${file.repeated} rows that a newer file repeats are left out` : null
            ].filter(Boolean).join(', ');
            section.append(element('h3', {}, file.name),
                element('p', {class: 'faint'},
                    `${counts}.${file.series === null ? '' : ` Drawn as ${data.series[file.series].label}.`}`));
            if (file.not_ok.length)
                section.append(element('p', {class: 'worse'}, `${file.not_ok.length} rows have no time:`),
                    sortableTable(
                        [
                            {title: 'kernel', text: true}, {title: 'shape', text: true}, {title: 'status', text: true},
                            {title: 'reason', text: true, long: true}
                        ],
                        file.not_ok, `Rows of ${file.name} without a time`));
            section.append(
                scrollable(element('table', {class: 'environment'},
                               element('caption', {class: 'skip'}, `Environment of ${file.name}`),
                               element('tbody', {},
                                   ...file.environment.map(([key, value]) => element('tr', {},
                                                               element('th', {class: 'text', scope: 'row'}, key),
                                                               element('td', {class: 'text'}, value))))),
                    `Environment of ${file.name}`));
        }
    });
}
