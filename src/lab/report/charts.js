// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What charts have in common: colours of the theme, a table of the same numbers, labels on the drawing.

const drawings = [];  // each redraws one chart, as when the theme changes

/** A chart of Chart.js that `build` describes, and below it its numbers as a table of `rows()`. */
function chart(parent, label, height, build, rows) {
    const canvas = element('canvas', {role: 'img', 'aria-label': `${label}. The same numbers are in the table below.`});
    const box = element('div', {class: 'chart'}, canvas);
    const table = filledWhenOpened(
        element('details', {class: 'data'}, element('summary', {}, 'The numbers of this chart')), fillTable);
    parent.append(box, table);
    let drawn = null;

    function fillTable() {
        const {columns, cells} = rows();
        table.replaceChildren(table.firstChild, sortableTable(columns, cells, `${label}: numbers`));
    }
    function draw() {
        if (drawn) drawn.destroy();
        box.style.height = `${typeof height === 'function' ? height() : height}px`;
        drawn = new Chart(canvas, withDefaults(build()));
        if (table.open) fillTable();
    }
    const drawGuarded = () => guarded(parent, draw);
    drawings.push(drawGuarded);
    draw();
    return drawGuarded;
}

function redrawAll() {
    for (const draw of drawings) draw();
}

function withDefaults(config) {
    const ink = colour('ink'), faint = colour('faint');
    Chart.defaults.color = faint;
    Chart.defaults.borderColor = colour('grid');
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = isNarrow() ? 11 : 12;
    const options = config.options;
    options.animation = false;
    options.maintainAspectRatio = false;
    options.responsive = true;
    options.plugins = {legend: {display: false}, ...options.plugins};
    options.plugins.tooltip = {
        backgroundColor: colour('card'),
        titleColor: ink,
        bodyColor: ink,
        footerColor: faint,
        borderColor: colour('rule'),
        borderWidth: 1,
        padding: 10,
        boxPadding: 4,
        usePointStyle: true,
        footerFont: {weight: 'normal'},
        ...options.plugins.tooltip,
    };
    for (const axis of Object.values(options.scales || {}))
        if (axis.title) axis.title = {display: true, color: ink, ...axis.title};
    return config;
}

/** Of sizes on a logarithmic axis those that have room, powers of two before others. */
function apart(sizes) {
    const range = Math.log2(sizes[sizes.length - 1] / sizes[0]), room = range / (isNarrow() ? 6 : 15);
    const kept = [];
    for (const size of [...sizes].sort((a, b) => Number.isInteger(Math.log2(b)) - Number.isInteger(Math.log2(a))))
        if (kept.every(other => Math.abs(Math.log2(size / other)) >= room)) kept.push(size);
    return kept.sort((a, b) => a - b);
}

/** Ticks at these values, as far as there is room. */
function ticksAt(values, text = value => String(value)) {
    return {
        afterBuildTicks: axis => {
            axis.ticks = values.filter(value => value >= axis.min && value <= axis.max).map(value => ({value}));
        },
        ticks: {callback: text, autoSkip: true, autoSkipPadding: 6, maxRotation: 0, minRotation: 0},
    };
}

/** A logarithmic axis' ends around these values. */
function rangeOf(values, factor = 1.4) {
    if (!values.length) return {min: 1, max: 10};
    return {min: Math.min(...values) / factor, max: Math.max(...values) * factor};
}

/** A logarithmic axis with a tick at each power of ten, and at 2 and 5 times it where few remain. */
function logAxis(title, text = shortRate) {
    return {
        type: 'logarithmic',
        title: {text: title},
        afterBuildTicks: axis => {
            const decades = Math.log10(axis.max / axis.min);
            const steps = decades > 3 ? [1] : decades > 1.5 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
            axis.ticks = [];
            for (let power = Math.floor(Math.log10(axis.min)); power <= Math.ceil(Math.log10(axis.max)); ++power)
                for (const step of steps) {
                    const value = Number((step * 10 ** power).toPrecision(2));
                    if (value >= axis.min && value <= axis.max) axis.ticks.push({value});
                }
        },
        ticks: {callback: value => text(value), maxRotation: 0},
    };
}

/** Clears what lies behind a text. */
function outlined(ctx, text, x, y) {
    ctx.save();
    ctx.strokeStyle = colour('paper');
    ctx.lineWidth = 4;
    ctx.lineJoin = 'round';
    ctx.strokeText(text, x, y);
    ctx.restore();
}

/** Text behind each horizontal bar: dataset.texts, one a bar. */
const barTexts = {
    id: 'barTexts',
    afterDatasetsDraw(drawn) {
        const {ctx, chartArea} = drawn;
        ctx.save();
        ctx.font = `${Chart.defaults.font.size - 1}px ${Chart.defaults.font.family}`;
        ctx.textBaseline = 'middle';
        drawn.data.datasets.forEach((dataset, index) => {
            if (!dataset.texts || !drawn.isDatasetVisible(index)) return;
            drawn.getDatasetMeta(index).data.forEach((bar, place) => {
                const text = dataset.texts[place];
                if (!text) return;
                const inside =
                    bar.x + ctx.measureText(text).width + 8 > chartArea.right + drawn.options.layout.padding.right;
                ctx.textAlign = inside ? 'right' : 'left';
                ctx.fillStyle = inside ? colour('paper') : colour('ink');
                if (!inside) outlined(ctx, text, bar.x + 5, bar.y);
                ctx.fillText(text, bar.x + (inside ? -5 : 5), bar.y);
            });
        });
        ctx.restore();
    },
};

/** Texts beside points, as far as there is room: `named` is a list of {point, text, places}. */
function placeTexts(drawn, named, points, size) {
    const {ctx, chartArea} = drawn;
    const taken = points.map(point => ({x: point.x - 6, y: point.y, width: 12}));
    ctx.save();
    ctx.font = `${size}px ${Chart.defaults.font.family}`;
    ctx.textBaseline = 'middle';
    ctx.fillStyle = colour('ink');
    for (const {point, text} of named) {
        const width = ctx.measureText(text).width;
        const places = [[10, 0], [-10 - width, 0], [-width / 2, -14], [-width / 2, 14]].map(
            ([x, y]) => ({x: point.x + x, y: point.y + y, width}));
        const place = places.find(box => box.x >= chartArea.left && box.x + width <= chartArea.right + 20
                && !taken.some(other => Math.abs(other.y - box.y) < size + 1 && other.x < box.x + width + 2
                        && box.x < other.x + other.width + 2));
        if (!place) continue;
        taken.push(place);
        ctx.fillText(text, place.x, place.y);
    }
    ctx.restore();
}

/** Names at the right ends of lines, by dataset.rank: those that come first have their place. */
const endNames = {
    id: 'endNames',
    afterDatasetsDraw(drawn) {
        const {ctx, chartArea} = drawn;
        const taken = [];
        const names = drawn.data.datasets.map((dataset, index) => ({dataset, index}))
                          .filter(each => each.dataset.end && drawn.isDatasetVisible(each.index))
                          .sort((a, b) => a.dataset.rank - b.dataset.rank);
        ctx.save();
        ctx.font = `${Chart.defaults.font.size - 1}px ${Chart.defaults.font.family}`;
        ctx.textBaseline = 'middle';
        for (const {dataset, index} of names) {
            const points = drawn.getDatasetMeta(index).data.filter(point => !point.skip && !Number.isNaN(point.y));
            const last = points[points.length - 1];
            if (!last || last.y < chartArea.top || last.y > chartArea.bottom) continue;
            // Beside its point, or as near as the others leave room.
            const y = [0, -5, 5, -10, 10, -14, 14]
                          .map(shift => last.y + shift)
                          .find(at => taken.every(other => Math.abs(other - at) >= Chart.defaults.font.size - 1));
            if (y === undefined) continue;
            taken.push(y);
            ctx.fillStyle = dataset.solid || dataset.borderColor;
            ctx.fillText(dataset.end, last.x + 7, y);
        }
        ctx.restore();
    },
};

/** Lines across the drawing: options.plugins.rules = [{axis, value, text, colour}]. */
const rules = {
    id: 'rules',
    beforeDatasetsDraw(drawn, _, options) {
        const {ctx, chartArea} = drawn;
        ctx.save();
        ctx.font = `${Chart.defaults.font.size - 1}px ${Chart.defaults.font.family}`;
        for (const rule of options.lines || []) {
            const across = rule.axis === 'x', at = drawn.scales[rule.axis].getPixelForValue(rule.value);
            const [low, high] = across ? [chartArea.left, chartArea.right] : [chartArea.top, chartArea.bottom];
            if (!(at >= low - 1 && at <= high + 1)) continue;
            ctx.strokeStyle = rule.colour;
            ctx.setLineDash(rule.dash || [5, 4]);
            ctx.beginPath();
            if (across) {
                ctx.moveTo(at, chartArea.top);
                ctx.lineTo(at, chartArea.bottom);
            } else {
                ctx.moveTo(chartArea.left, at);
                ctx.lineTo(chartArea.right, at);
            }
            ctx.stroke();
            if (!rule.text) continue;
            ctx.fillStyle = rule.colour;
            if (across) {
                const right = at + ctx.measureText(rule.text).width / 2 > chartArea.right;
                ctx.textAlign = right ? 'right' : 'center';
                ctx.textBaseline = 'bottom';
                ctx.fillText(rule.text, at, chartArea.top - 3);
            } else {
                ctx.textAlign = 'left';
                ctx.textBaseline = 'bottom';
                ctx.fillText(rule.text, chartArea.left + 6, at - 3);
            }
        }
        ctx.restore();
    },
};
