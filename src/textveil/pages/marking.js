// The page of `textveil review --marks`: one drawn document at a time; marks go to the server of this machine.

const DATA = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const say = (key) => DATA.words[key];
let marks = [];  // of this document: {start, end, kind} with wrong: whether it was replaced and is none
let pieces = [];
let page = null;
let choice = null;
let busy = false;

/** A stretch of the data: text that is equal in both, a likely value with its kind, or what became what. */
function read(stretch) {
  if (typeof stretch === "string") return { was: stretch, now: stretch };
  const [was, now, kinds] = stretch;
  if (!kinds) return { was, now: was, guess: true, kind: now };
  return { was, now, kinds, kind: kinds[0]?.[2] ?? "", drawn: kinds.length > 0 || /[\p{L}\p{N}]/u.test(was + now) };
}

function drawnAs(content, { kind, guess }) {
  const mark = document.createElement("mark");
  mark.append(content);
  if (kind) mark.dataset.kind = guess ? `${kind}?` : kind;
  if (guess) mark.classList.add("guess");
  mark.style.setProperty("--c", `var(--${DATA.colors[kind] ?? "own"})`);
  return mark;
}

/** Where marks stand, as a sheet asks for them: "kept" are those that were replaced wrongly. */
const shown = { places: () => [...marks].sort((one, other) => one.start - other.start)
  .map((mark) => ({ start: mark.start, end: mark.end, mark: { kind: mark.wrong ? "" : mark.kind, reach: say(mark.wrong ? "wrong" : "missed") } })) };

const text = () => pieces.map(({ was }) => was).join("");

/** The replaced spans that a choice touches. */
function replaced({ start, end }) {
  let at = 0;
  const spans = [];
  for (const { was, kinds } of pieces) {
    const units = (place) => [...was].slice(0, place).join("").length;  // spans count characters, not units of UTF-16
    for (const [from, to, kind] of kinds ?? []) spans.push({ start: at + units(from), end: at + units(to), kind });
    at += was.length;
  }
  return spans.filter((span) => span.start < end && start < span.end);
}

const touches = (one, other) => one.start < other.end && other.start < one.end;

function choose(next) {
  choice = next;
  element("chosen").textContent = choice ? choice.phrase : say("nothing");
  if (choice && !choice.drawn && DATA.kinds.includes(choice.kind)) element("kind").value = choice.kind;
  for (const [id, on] of [["missed", choice && !choice.drawn], ["wrong", choice?.drawn]]) element(id).setAttribute("aria-disabled", String(!on));
}

function mark(wrong) {
  if (!choice || wrong !== choice.drawn) return;
  const spans = wrong ? replaced(choice) : [{ start: choice.start, end: choice.end, kind: element("kind").value }];
  marks = [...marks.filter((other) => !spans.some((span) => touches(span, other))), ...spans.map((span) => ({ ...span, wrong }))];
  show();
}

function undo() {
  marks.pop();
  show();
}

const sheets = [new Sheet(element("original"), choose), new Sheet(element("released"), choose)];

function show() {
  sheets[0].show(pieces.map(({ was, ...more }) => ({ ...more, text: was })), shown, drawnAs);
  sheets[1].show(pieces.map(({ was, now, ...more }) => ({ ...more, text: now, was: was === now && !more.drawn ? undefined : was })), shown, drawnAs);
  element("fine").textContent = say(marks.length ? "next" : "fine");
}

function turn(next) {
  ({ page } = next);
  pieces = next.pieces.map(read);
  marks = [[next.missed, false], [next.wrong, true]].flatMap(([spans, wrong]) => spans.map(([start, end, kind]) => ({ ...uncounted(start, end), kind, wrong })));
  choose(null);
  element("record").textContent = page === null ? say("done") : `${say("record")} ${page.toLocaleString(document.documentElement.lang)}`;
  element("back").setAttribute("aria-disabled", String(!next.back));
  element("fine").setAttribute("aria-disabled", String(page === null));
  getSelection().removeAllRanges();
  show();
  for (const sheet of sheets) sheet.element.scrollTop = 0;
  element("original").focus({ preventScroll: true });
  stand();
}

/** Asks how far the review is, after the page is shown. */
async function stand() {
  const asked = page;
  const answer = await fetch("standing").then((reply) => reply.json()).catch(() => null);
  if (answer?.said && asked === page) element("said").textContent = answer.said.join("; ");
}

async function ask(place, data) {
  if (busy) return;
  busy = true;
  try {
    const reply = await fetch(place, data ? { method: "POST", body: JSON.stringify(data) } : {});
    const answer = await reply.json();
    if (answer.error) element("said").textContent = answer.error;
    else if (place !== "end") turn(answer);
    else element("said").textContent = say("ended");
  } catch {
    element("said").textContent = say("gone");
  } finally {
    busy = false;
  }
}

/** A span by units of UTF-16, from one by characters. */
function uncounted(start, end) {
  const characters = [...text()];
  const length = (until) => characters.slice(0, until).join("").length;
  return { start: length(start), end: length(end) };
}

/** Spans as [start, end, kind], by characters and not by units of UTF-16. */
function counted(spans) {
  const whole = text();
  const length = (until) => [...whole.slice(0, until)].length;
  return spans.sort((one, other) => one.start - other.start).map(({ start, end, kind }) => [length(start), length(end), kind]);
}

function send() {
  if (page === null) return;
  ask("mark", { page, missed: counted(marks.filter(({ wrong }) => !wrong)), wrong: counted(marks.filter(({ wrong }) => wrong)) });
}

for (const kind of DATA.kinds) element("kind").append(new Option(kind));
for (const sheet of sheets) sheet.turn(true);
const does = { missed: () => mark(false), wrong: () => mark(true), undo, fine: send, back: () => ask("mark", { back: true }), end: () => ask("end", {}) };
for (const [id, act] of Object.entries(does)) element(id).addEventListener("click", () => element(id).getAttribute("aria-disabled") !== "true" && act());
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  const id = { m: "missed", w: "wrong", u: "undo", f: "fine", b: "back" }[event.key];
  if (id && element(id).getAttribute("aria-disabled") !== "true") does[id]();
});
ask("page");
