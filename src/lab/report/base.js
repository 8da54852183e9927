// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The data, elements, numbers and colours that all panels share.

const data = JSON.parse(document.getElementById('data').textContent);

const families = {
    cublas: 'cuBLAS',
    worklog: 'k1 to k10',
    chapter: 'v1 to v5x',
    beyond: 'beyond both texts',
    tensor: 'tensor cores',
    library: 'the library',
    engine: 'the library\u2019s kernels',
    other: 'not known to this program',
};

/** element('p', {class: 'faint'}, 'text', child): text is never taken for HTML. */
function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith('on'))
            made.addEventListener(key.slice(2), value);
        else if (value !== false && value !== null)
            made.setAttribute(key, value === true ? '' : value);
    }
    made.append(...children.filter(child => child !== null && child !== undefined));
    return made;
}

function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const seriesColours = ['worklog', 'chapter', 'beyond', 'tensor', 'engine', 'other'];
function seriesColour(index) {
    return colour(seriesColours[index % seriesColours.length]);
}

/** A colour with an opacity, as two more digits. */
function faded(hex, opacity) {
    return hex + Math.round(opacity * 255).toString(16).padStart(2, '0');
}

function number(value, digits) {
    if (value === null || value === undefined) return '-';
    return value.toLocaleString('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}
function rate(value) {
    return number(value, value === null || value >= 100 ? 0 : value >= 1 ? 1 : 3);
}
function microseconds(value) {
    return number(value, value === null || value >= 1000 ? 0 : value >= 100 ? 1 : 2);
}
function signed(value, digits) {
    const text = number(Math.abs(value), digits);
    return (Number(text.replace(/,/g, '')) === 0 ? '' : value > 0 ? '+' : '\u2212') + text;
}

/** "45 TFLOP/s" on axes that go so far. */
function shortRate(value) {
    if (value >= 1000) return `${number(value / 1000, 0)}k`;
    return value >= 1 ? number(value, 0) : String(value);
}

function kernel(id) {
    return data.kernels[id]
        || {title: id, rung: id, family: 'other', arithmetic: 'fp32', sustained: false, parent: null};
}

/** "10 warp_tile", "40 tf32_mma (TF32)", "cuBLAS, sustained", with the variant where it is not the default. */
function kernelTitle(id, label = id) {
    const known = kernel(id);
    const variant = label.includes('/') ? `/${label.split('/').slice(1).join('/')}` : '';
    const mark = known.arithmetic === 'fp32' ? '' : ` (${known.arithmetic.toUpperCase()})`;
    return known.title + variant + mark + (known.sustained ? ', sustained' : '');
}

/** For labels on drawings: names from files may be long. */
function clipped(text, most = isNarrow() ? 24 : 40) {
    return text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;
}

function isNarrow() {
    return document.documentElement.clientWidth < 640;
}

const manySeries = data.series.length > 1;

function seriesLegend() {
    return element('ul', {class: 'legend', 'aria-label': 'Colours'},
        ...data.series.map(
            (each, index) => element('li', {}, swatch(seriesColours[index % seriesColours.length]), each.label)));
}

function swatch(name, line = false) {
    return element(
        'span', {class: line ? 'swatch line' : 'swatch', style: `background: var(--${name})`, 'aria-hidden': 'true'});
}

/** A select with a label; `changed` gets the chosen value as it stands in `options`. */
function choice(label, options, value, changed) {
    const select = element('select', {onchange: () => changed(options[select.selectedIndex][0])},
        ...options.map(([each, text]) => element('option', {selected: each === value}, text)));
    return element('label', {}, label, select);
}

function tick(label, value, changed) {
    const box = element('input', {type: 'checkbox', checked: value, onchange: () => changed(box.checked)});
    return element('label', {}, box, label);
}

/** A button for each of `entries`, [key, text, shade], that shows or hides it. */
function toggles(entries, hidden, changed, line = false) {
    return entries.map(([key, text, shade]) => {
        const button = element('button', {
            type: 'button',
            class: 'chip',
            'aria-pressed': String(!hidden.has(key)),
            onclick: () => {
                hidden.has(key) ? hidden.delete(key) : hidden.add(key);
                button.setAttribute('aria-pressed', String(!hidden.has(key)));
                changed();
            }
        },
            swatch(shade, line), text);
        return button;
    });
}

/** Where there is no data: why, and what makes it. */
function missingNote(panel) {
    return element('div', {class: 'note missing'}, element('p', {}, panel.missing, ' This makes such data:'),
        element('code', {class: 'command'}, panel.command),
        element('p', {class: 'faint'}, 'Give the file to report together with the others.'));
}

const waiting = [];  // panels that are in their places and still empty

/** Fills panels until there is something else to do; the page can be used meanwhile. */
function fillWaiting() {
    const start = performance.now();
    while (waiting.length && performance.now() - start < 50) waiting.shift()();
    if (waiting.length)
        setTimeout(fillWaiting);
    else
        becomeReady();
}

function fillAllNow() {
    while (waiting.length) waiting.shift()();
    becomeReady();
}

/** Says when, in milliseconds from the page's start. */
function becomeReady() {
    document.documentElement.dataset.ready ??= String(Math.round(performance.now()));
}

/** A panel with a place in the contents. `fill` is not called where the data is missing. */
function panel(id, title, short, about, contents, fill) {
    const section = element('section', {id, 'aria-labelledby': `${id}-title`},
        element('h2', {id: `${id}-title`}, title), ...(about ? [element('p', {class: 'screen'}, about)] : []));
    document.getElementById('panels').append(section);
    document.getElementById('contents').append(element('a', {href: `#${id}`}, short));
    if (contents && contents.missing)
        section.append(missingNote(contents));
    else
        waiting.push(() => guarded(section, () => fill(section, contents)));
}

/** A fault ends the panel that has it, and no other. */
function guarded(section, work) {
    try {
        work();
    } catch (fault) {
        console.error(fault);
        section.append(
            element('div', {class: 'note fault'}, element('p', {}, `This panel cannot be drawn: ${fault.message}`)));
    }
}

/** Details whose content is made when they are first opened: all of it at once would be much. */
function filledWhenOpened(details, fill) {
    details.fillNow = fill;
    details.addEventListener('toggle', () => details.open && fill());
    return details;
}
