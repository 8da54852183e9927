// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Tables that a click or the keyboard sorts.

/** columns: {title, text: true for words, show: value => text, about}; cells: rows of values. */
function sortableTable(columns, cells, label, tall = true) {
    const body = element('tbody');
    const state = {column: -1, down: false};

    function shown(column, value) {
        if (value instanceof Node) return value;
        if (value === null || value === undefined) return '-';
        return column.show ? column.show(value) : String(value);
    }
    function fill() {
        const order = cells.map((row, index) => ({row, index}));
        if (state.column >= 0) order.sort((a, b) => compared(key(a), key(b)) || a.index - b.index);
        body.replaceChildren(...order.map(({row}) => element('tr', {}, ...row.map((value, index) => {
            const cell = columns[index].long ? {class: 'text long'} : columns[index].text ? {class: 'text'} : {};
            return element(index === 0 ? 'th' : 'td', index === 0 ? {scope: 'row', class: 'text'} : cell,
                shown(columns[index], value));
        }))));
    }
    function key(each) {
        const value = each.row[state.column];
        return value instanceof Node ? value.textContent : value;
    }
    function compared(a, b) {  // what is not there comes last either way
        if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
        if (b === null || b === undefined) return -1;
        const order = typeof a === 'number' && typeof b === 'number'
            ? a - b
            : String(a).localeCompare(String(b), 'en', {numeric: true});
        return state.down ? -order : order;
    }
    const heads = columns.map((column, index) => {
        const sort = () => {
            state.down = state.column === index ? !state.down : !column.text;
            state.column = index;
            heads.forEach((head, place) => head.setAttribute('aria-sort',
                              place !== index  ? 'none'
                                  : state.down ? 'descending'
                                               : 'ascending'));
            fill();
        };
        return element('th', {scope: 'col', 'aria-sort': 'none', class: column.text || index === 0 ? 'text' : null},
            element('button', {type: 'button', onclick: sort, title: column.about || null}, column.title));
    });
    fill();
    return scrollable(element('table', {}, element('caption', {class: 'skip'}, label),
                          element('thead', {}, element('tr', {}, ...heads)), body),
        label, tall);
}

/** What is too wide scrolls by itself, also by the keyboard. */
function scrollable(child, label, tall = false) {
    return element(
        'div', {class: tall ? 'scroll tall' : 'scroll', tabindex: '0', role: 'region', 'aria-label': label}, child);
}
