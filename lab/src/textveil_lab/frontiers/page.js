// Draws FOUND: one measure at a time, with intervals, limits and levels. No library, no network.
(function () {
  "use strict";
  const space = "http://www.w3.org/2000/svg";
  const byId = (name) => document.getElementById(name);
  const chart = byId("chart"), said = byId("said"), legend = byId("legend");
  const hidden = new Set();
  const dashes = ["", "7 3", "2 3", "9 3 2 3"];

  function made(parent, kind, attributes, text) {
    const one = document.createElementNS(space, kind);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    if (text !== undefined) one.textContent = text;
    parent.appendChild(one);
    return one;
  }
  function option(select, value, text) {
    const one = document.createElement("option");
    one.value = value;
    one.textContent = text;
    select.appendChild(one);
  }
  function dashOf(line) {
    return line.dashed ? "5 4" : dashes[Math.floor(line.look / 7) % dashes.length];
  }
  function number(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    return size >= 0.001 && size < 1e5 ? String(+value.toPrecision(3)) : value.toExponential(1);
  }
  function ticks(low, high, log) {
    const found = [];
    if (log) {
      for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
        const value = 10 ** power;
        if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
      }
      if (found.length > 1) return found;
      return [low, Math.sqrt(low * high), high];
    }
    const rough = (high - low) / 5, unit = 10 ** Math.floor(Math.log10(rough || 1));
    const step = [1, 2, 5, 10].map((one) => one * unit).find((one) => one >= rough) || 1;
    for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step) found.push(+value.toPrecision(12));
    return found;
  }
  function axis(values, log) {
    const fine = values.filter((one) => one !== null && (!log || one > 0));
    let low = Math.min(...fine), high = Math.max(...fine);
    if (!(high > low)) { low = log ? low / 2 : low - 0.5; high = log ? high * 2 : high + 0.5; }
    if (!log) { const room = (high - low) * 0.05; low -= room; high += room; }
    const scale = log ? Math.log : (one) => one;
    return { low, high, log, at: (one) => (scale(one) - scale(low)) / (scale(high) - scale(low)) };
  }
  function sentence(line, point, measure) {
    const interval = point.low === point.high ? "" : " (" + number(point.low) + " to " + number(point.high) + ")";
    return line.label + (FOUND.vocabularies.length > 1 ? " over " + line.vocabulary : "") + " at epsilon " + number(point.epsilon) + ": " + FOUND.titles[measure] + " " + number(point.y) +
      interval + "; " + point.verified + ".";
  }
  function draw() {
    const measure = byId("measure").value, vocabulary = byId("vocabulary").value, across = byId("across").value, log = byId("scale").value === "log";
    const here = (one) => one.vocabulary === vocabulary;
    // The scales are those of all vocabularies, so that a choice of another is comparable at a glance.
    const allLines = FOUND.lines.filter((one) => one.measure === measure);
    const allLimits = across === "epsilon" ? FOUND.limits.filter((one) => one.measure === measure) : [];
    const allLevels = FOUND.levels.filter((one) => one.measure === measure);
    const lines = allLines.filter(here), limits = allLimits.filter(here), levels = allLevels.filter(here);
    const seen = lines.filter((one) => !hidden.has(one.label));
    const width = Math.max(300, chart.clientWidth || chart.parentNode.clientWidth), height = Math.round(Math.min(460, 0.62 * width + 120));
    const box = { left: 52, right: width - 14, top: 14, bottom: height - 44 };
    chart.setAttribute("viewBox", "0 0 " + width + " " + height);
    chart.replaceChildren();
    const points = allLines.filter((one) => !hidden.has(one.label)).flatMap((one) => one.points).filter((one) => one[across] !== null);
    if (!points.length || !lines.length) { made(chart, "text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, "nothing to show"); return list(lines); }
    const xs = axis(points.map((one) => one[across]).concat(allLimits.map((one) => one.x)), across !== "epsilon" && log);
    const ys = axis(points.flatMap((one) => [log ? one.y : one.low, one.high]).concat(allLimits.map((one) => one.y), allLevels.map((one) => one.y)), log);
    const x = (value) => box.left + xs.at(value) * (box.right - box.left);
    const y = (value) => box.bottom - ys.at(Math.max(value, ys.low)) * (box.bottom - box.top);
    for (const value of ticks(ys.low, ys.high, log)) {
      made(chart, "line", { x1: box.left, x2: box.right, y1: y(value), y2: y(value), stroke: "var(--line)" });
      made(chart, "text", { x: box.left - 6, y: y(value) + 4, "text-anchor": "end", "font-size": 12 }, number(value));
    }
    const grid = across === "epsilon" ? [...new Set(points.map((one) => one.epsilon))].sort((a, b) => a - b) : ticks(xs.low, xs.high, xs.log);
    let last = -1e9;
    for (const value of grid) {
      made(chart, "line", { x1: x(value), x2: x(value), y1: box.bottom, y2: box.bottom + 4, stroke: "var(--soft)" });
      if (x(value) - last < 26) continue;
      last = x(value);
      made(chart, "text", { x: last, y: box.bottom + 18, "text-anchor": "middle", "font-size": 12 }, number(value));
    }
    made(chart, "line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, stroke: "var(--soft)" });
    const name = across === "epsilon" ? "epsilon of one word, nats" : FOUND.titles.vulnerability;
    made(chart, "text", { x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle", "font-size": 13 }, name);
    for (const one of levels) {
      made(chart, "line", { x1: box.left, x2: box.right, y1: y(one.y), y2: y(one.y), stroke: "var(--soft)", "stroke-dasharray": "2 3" });
      made(chart, "text", { x: box.right, y: y(one.y) - 4, "text-anchor": "end", "font-size": 11 }, one.label);
    }
    for (const delta of [...new Set(limits.map((one) => one.delta))]) {
      const some = limits.filter((one) => one.delta === delta);
      made(chart, "polyline", { points: some.map((one) => x(one.x) + "," + y(one.y)).join(" "), fill: "none",
        stroke: delta ? "var(--soft)" : "var(--ink)", "stroke-width": 1.4, "stroke-dasharray": delta ? "1 3" : "" });
    }
    for (const line of seen) {
      const some = line.points.filter((one) => one[across] !== null && (!log || one.y > 0)).sort((a, b) => a[across] - b[across]);
      const look = { fill: "none", stroke: line.color, "stroke-width": 2, "stroke-dasharray": dashOf(line) };
      made(chart, "polyline", { points: some.map((one) => x(one[across]) + "," + y(one.y)).join(" "), ...look });
      for (const one of some) {
        const bar = { x1: x(one[across]), x2: x(one[across]), stroke: line.color };
        made(chart, "line", { ...bar, y1: y(one.low), y2: y(one.high), "stroke-width": 1.2 });
        const dot = made(chart, "circle", { cx: x(one[across]), cy: y(one.y), r: 4, fill: line.color, tabindex: 0, role: "img" });
        made(dot, "title", {}, sentence(line, one, measure));
        for (const event of ["pointerenter", "focus", "click"]) dot.addEventListener(event, () => { said.textContent = sentence(line, one, measure); });
      }
    }
    list(lines);
  }
  function list(lines) {
    legend.replaceChildren();
    for (const line of lines) {
      const item = document.createElement("li"), button = document.createElement("button");
      const sign = document.createElementNS(space, "svg");
      sign.setAttribute("width", 30); sign.setAttribute("height", 10);
      made(sign, "line", { x1: 0, x2: 30, y1: 5, y2: 5, stroke: line.color, "stroke-width": 2.5, "stroke-dasharray": dashOf(line) });
      button.append(sign, line.label);
      button.setAttribute("aria-pressed", String(!hidden.has(line.label)));
      button.addEventListener("click", () => { if (!hidden.delete(line.label)) hidden.add(line.label); draw(); });
      item.appendChild(button);
      legend.appendChild(item);
    }
    const measure = byId("measure").value, vocabulary = byId("vocabulary").value;
    const drawn = lines.length && byId("across").value === "epsilon" ? FOUND.limits : [];
    const deltas = [...new Set(drawn.filter((one) => one.measure === measure && one.vocabulary === vocabulary).map((one) => one.delta))];
    for (const delta of deltas) {
      const item = document.createElement("li"), entry = document.createElement("button");
      const sign = document.createElementNS(space, "svg");
      sign.setAttribute("width", 30); sign.setAttribute("height", 10);
      made(sign, "line", { x1: 0, x2: 30, y1: 5, y2: 5, stroke: delta ? "var(--soft)" : "var(--ink)", "stroke-width": 1.4, "stroke-dasharray": delta ? "1 3" : "" });
      entry.append(sign, delta ? "limit with delta " + number(delta) : "limit");
      entry.disabled = true;
      item.appendChild(entry);
      legend.appendChild(item);
    }
  }
  for (const name of FOUND.vocabularies) option(byId("vocabulary"), name, name);
  byId("vocabulary").parentNode.hidden = FOUND.vocabularies.length < 2;
  for (const [key, title] of Object.entries(FOUND.titles)) option(byId("measure"), key, title);
  option(byId("across"), "epsilon", "epsilon (equal guarantee)");
  if ("vulnerability" in FOUND.titles) option(byId("across"), "vulnerability", "Bayes vulnerability (equal success of the attacker)");
  said.textContent = "Choose a measure; touch a point for its numbers, a name to hide its line.";
  for (const name of ["vocabulary", "measure", "across", "scale"]) byId(name).addEventListener("change", draw);
  window.addEventListener("resize", draw);
  draw();
})();
