// The figure of recovery: what share of words a decoder names again, by epsilon. Made of SVG elements, no markup.

const NARROW = matchMedia("(max-width: 44rem)");
const LEFT = 48;
const TOP = 16;
const BOTTOM = 252;
const NAMES = [["words", "all words"], ["content", "content words"], ["names", "names"]];

function drawn(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** A chart that can show one epsilon after another. */
export class Chart {
  constructor(svg, measured) {
    // On a phone the same height has less width, so that curves stay steep and letters large.
    const width = NARROW.matches ? 360 : 560;
    svg.closest("figure").classList.toggle("narrow", NARROW.matches);
    this.right = width - LEFT;
    this.svg = svg;
    this.measured = measured;
    this.low = measured[0].epsilon;
    this.high = measured.at(-1).epsilon;
    svg.setAttribute("viewBox", `0 0 ${width} 280`);
    svg.replaceChildren(
      drawn("title", { id: "chart-title" }, "Share of words that a decoder names again, by epsilon of one word"),
      drawn("desc", { id: "chart-desc" }, measured.map((row) => `epsilon ${row.epsilon}: ${row.shares.map(
        (share, place) => `${NAMES[place][1]} ${percent(share)}`).join(", ")}`).join("; ")),
      ...this.axes(),
      ...NAMES.flatMap(([name], place) => this.curve(name, place)),
    );
    this.now = drawn("line", { class: "now", y1: TOP, y2: BOTTOM });
    this.points = NAMES.map(([name]) => drawn("circle", { class: `point ${name}`, r: 6 }));
    svg.append(this.now, ...this.labels(), ...this.points);
  }

  x(epsilon) {
    return LEFT + ((epsilon - this.low) / (this.high - this.low)) * (this.right - LEFT);
  }

  y(share) {
    return BOTTOM - share * (BOTTOM - TOP);
  }

  axes() {
    const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
      drawn("line", { class: "grid", x1: LEFT, x2: this.right, y1: this.y(share), y2: this.y(share) }),
      drawn("text", { x: LEFT - 8, y: this.y(share) + 4, "text-anchor": "end" }, `${100 * share} %`),
    ]);
    const ticks = this.measured.filter((row) => row.epsilon % 2 === 0).map((row) =>
      drawn("text", { x: this.x(row.epsilon), y: BOTTOM + 22, "text-anchor": "middle" }, `${row.epsilon}`));
    return [...lines, ...ticks];
  }

  curve(name, place) {
    const middle = (row) => (row.shares[place].low + row.shares[place].high) / 2;
    const at = (value) => (row) => `${this.x(row.epsilon)},${this.y(value(row))}`;
    const band = [
      ...this.measured.map(at((row) => row.shares[place].high)),
      ...this.measured.map(at((row) => row.shares[place].low)).reverse(),
    ];
    return [
      drawn("polygon", { class: `band ${name}`, points: band.join(" ") }),
      drawn("polyline", { class: `curve ${name}`, points: this.measured.map(at(middle)).join(" ") }),
    ];
  }

  /** Names at the left, in a column of their own: the curves' right ends lie close together. */
  labels() {
    return NAMES.map(([name, shown], place) =>
      drawn("text", { class: `name ${name}`, x: LEFT + 12, y: TOP + 22 + 20 * place }, shown));
  }

  /** Move to an epsilon that was measured. */
  show(epsilon) {
    const row = this.measured.find((one) => one.epsilon === epsilon);
    this.now.setAttribute("x1", this.x(epsilon));
    this.now.setAttribute("x2", this.x(epsilon));
    this.points.forEach((point, place) => {
      const share = row.shares[place];
      point.setAttribute("cx", this.x(epsilon));
      point.setAttribute("cy", this.y((share.low + share.high) / 2));
    });
    return row;
  }
}

/** "6 to 24 %", or "6 %". */
export function percent({ low, high }) {
  const [one, other] = [Math.round(100 * low), Math.round(100 * high)];
  return one === other ? `${one}\u00a0%` : `${one} to ${other}\u00a0%`;
}
