const WINDOW_MS = 120_000;
const LINES = ["expected", "guarded", "unguarded"];
const MARGIN = {top: 12, right: 96, bottom: 24, left: 44};
const LABEL_HEIGHT = 16;

/** Draws the samples of the last two minutes, each line with its name at its end. */
export function draw(svg, samples) {
  const {clientWidth: width, clientHeight: height} = svg;
  if (width === 0 || samples.length === 0) {
    return;
  }
  const now = samples.at(-1).time;
  const start = Math.max(samples[0].time, now - WINDOW_MS);
  const span = Math.max(now - start, 10_000);
  const shown = samples.filter(sample => sample.time >= start);
  const ticks = ticksUpTo(Math.max(...shown.flatMap(sample => LINES.map(line => sample[line]))));
  const x = time => MARGIN.left + (time - start) / span * (width - MARGIN.left - MARGIN.right);
  const y = value => height - MARGIN.bottom
      - value / ticks.at(-1) * (height - MARGIN.top - MARGIN.bottom);

  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(
      ...ticks.flatMap(tick => [
        element("line", {class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick)}),
        text(tick, {x: MARGIN.left - 8, y: y(tick) + 4, "text-anchor": "end"})
      ]),
      text(secondsAgo(now - start), {x: MARGIN.left, y: height - 6}),
      text("now", {x: x(now), y: height - 6, "text-anchor": "middle"}),
      ...LINES.map(line => element("polyline", {
        class: line,
        points: shown.map(sample => `${x(sample.time)},${y(sample[line])}`).join(" ")
      })),
      ...labels(shown.at(-1), x(now), y));
}

/** Labels whose values are close are moved apart, from the highest value down. */
function labels(last, x, y) {
  let free = 0;
  const placed = LINES
      .map(line => ({line, value: last[line]}))
      .sort((a, b) => b.value - a.value)
      .map(label => {
        const position = Math.max(y(label.value) + 4, free);
        free = position + LABEL_HEIGHT;
        return {...label, position};
      });
  const overflow = Math.max(0, free - LABEL_HEIGHT - (y(0) + 4));
  return placed.flatMap(({line, value, position}) => [
    element("circle", {class: line, cx: x, cy: y(value), r: 4}),
    element("circle", {class: line, cx: x + 12, cy: position - overflow - 4, r: 4}),
    text(line, {class: "label", x: x + 20, y: position - overflow})
  ]);
}

/** From 0 to the first multiple of a round step that is not below the greatest value; at most six of them. */
function ticksUpTo(greatest) {
  const rough = Math.max(greatest, 5) / 5;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * magnitude).find(candidate => candidate >= rough);
  return Array.from({length: Math.ceil(Math.max(greatest, 5) / step) + 1}, (_, i) => i * step);
}

function secondsAgo(ms) {
  const seconds = Math.round(ms / 1000);
  return seconds === 0 ? "" : `${seconds} s ago`;
}

function text(content, attributes) {
  const node = element("text", attributes);
  node.textContent = content;
  return node;
}

function element(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  return node;
}
