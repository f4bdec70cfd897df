// The slider: public sentences at an epsilon, what a word becomes, and the figure of recovery.

import * as api from "./api.js";
import { Chart, percent } from "./chart.js";
import { changes, made } from "./marks.js";
import { byWords } from "./pieces.js";

const element = (id) => document.getElementById(id);
const WAIT = 90;

/**
 * Show the part of the page that explains epsilon, by what the server started with; `moved` hears each epsilon that it
 * comes to. Gives back what moves it, and what tells the shares that are recovered at an epsilon.
 */
export function explore({ rows, model, texts, epsilon }, moved) {
  const chart = new Chart(element("chart"), rows);
  const slider = element("epsilon");
  const known = rows.map((row) => row.epsilon);
  slider.min = known[0];
  slider.max = known.at(-1);
  slider.value = epsilon;
  element("measured").textContent =
    `A decoder (${model}) that knows the mechanism and reads the words around, on public ${texts.join(", ")}; the bands span these texts, the lines are their middle.`;
  let waiting = 0;
  let under = new AbortController();
  let last = epsilon;

  async function draw(at) {
    under.abort();
    under = new AbortController();
    try {
      show(await api.examples(at, under.signal));
    } catch (error) {
      if (error.name !== "AbortError") element("examples").replaceChildren(made("li", {}, error.message));
    }
  }

  function move() {
    const asked = Number(slider.value);
    const at = nearest(known, asked, asked > last);
    last = at;
    slider.value = at;
    slider.setAttribute("aria-valuetext", `epsilon ${at}`);
    element("epsilon-shown").textContent = `ε ${at}`;
    const [words, content, names] = chart.show(at).shares.map(percent);
    element("recovered").replaceChildren(
      "At this epsilon the attacker recovers ", strong(words), " of all words, ", strong(content), " of the content words and ",
      strong(names), " of the names. A better one may recover more, never more than epsilon allows.");
    clearTimeout(waiting);
    waiting = setTimeout(() => draw(at), WAIT);
    moved(at);
  }

  function go(to) {
    if (!known.includes(to) || to === last) return;
    slider.value = to;
    move();
  }

  slider.addEventListener("input", move);
  element("again").addEventListener("click", () => draw(Number(slider.value)));
  move();
  return { go, shares: (at) => rows.find((row) => row.epsilon === at)?.shares.map(percent) };
}

/** What was measured, the closest to what was asked for; of a gap, the end in the direction of the move. */
function nearest(known, asked, up) {
  if (known.includes(asked)) return asked;
  return up ? known.find((one) => one > asked) : known.findLast((one) => one < asked);
}

const strong = (text) => made("b", {}, text);

function show({ examples, words }) {
  element("examples").replaceChildren(...examples.map(({ text, released }) => {
    const now = made("p", { class: "now" });
    const pieces = byWords(text, released) ?? [{ text: released, kind: "" }];
    now.append(changes(pieces.map(({ was, ...piece }) => piece)));
    return made("li", {}, made("p", { class: "was" }, text), now);
  }));
  const { word, outcomes } = words[0];
  element("outcomes-title").replaceChildren("What the word “", word, "” becomes, exactly");
  element("outcomes").replaceChildren(...outcomes.map(({ word: outcome, probability }) => {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    bar.setAttribute("aria-hidden", "true");
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of [["width", `${Math.max(0.4, 100 * probability)}%`], ["height", "100%"], ["rx", "3"]]) rect.setAttribute(name, value);
    bar.append(rect);
    const name = made("span", outcome === word ? { class: "itself" } : {}, outcome === word ? `${outcome} (itself)` : outcome);
    return made("li", {}, name, bar, made("span", { class: "share" }, `${(100 * probability).toFixed(1)} %`));
  }));
}
