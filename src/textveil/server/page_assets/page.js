// The page: a text, what is found in it, what leaves, what that costs, and the way back.

import * as api from "./api.js";
import { Corrections, Sheet, panel } from "./corrections.js";
import { explore } from "./explore.js";
import { narrow } from "./fold.js";
import { accountOf } from "./inspected.js";
import { change, changes, copyOnlyReleased, counted, hueOf, learnHues, legend, made, marked } from "./marks.js";
import { afterEdit, bySpans, byWords, inUnits } from "./pieces.js";
import { changedIn, costOf, keptNumbers, leftOf, promiseOf, several, shownCount, shownLeft, wordsLeft } from "./words.js";

const element = (id) => document.getElementById(id);
const [text, under, policy] = ["text", "under", "policy"].map(element);
const WAIT = 300;
const LONG = 20_000;  // characters from which marks wait for the server's answer, so that each key is not waited for
const MAPS = 20;
const LOW = 0.15;

const at = element("at");
const now = { explored: null, settling: 0, policies: [], spans: [], drawnFor: "", released: "", maps: [], detecting: new AbortController(), waiting: 0, busy: false, pieces: [], corrections: new Map(), correcting: null };

/* What is found */

function paint() {
  under.replaceChildren(marked(now.drawnFor, now.spans));
  under.scrollTop = text.scrollTop;
}

function edited() {
  const value = text.value;
  now.spans = afterEdit(now.drawnFor, value, now.spans);
  now.drawnFor = value;
  under.classList.toggle("stale", value.length > LONG);
  element("clear").hidden = value === "";
  element("sample").hidden = value !== "";
  if (value.length <= LONG) paint();
  clearTimeout(now.waiting);
  now.detecting.abort();
  now.waiting = setTimeout(find, WAIT);
}

function write(value) {
  text.value = value;
  text.focus({ preventScroll: true });
  text.setSelectionRange(0, 0);
  text.scrollTop = 0;
  edited();
}

async function find() {
  const value = text.value.toWellFormed();
  now.detecting = new AbortController();
  if (!value.trim()) return found(value, []);
  try {
    const { spans } = await api.detect(value, policy.value, now.detecting.signal);
    found(value, inUnits(value, spans.filter((span) => !chosenPolicy()?.kept.includes(span.kind))));
  } catch (error) {
    if (error.name !== "AbortError") failed(error);
  }
}

function found(value, spans) {
  if (text.value.toWellFormed() !== value) return;
  [now.spans, now.drawnFor] = [spans, value];
  under.classList.remove("stale");
  paint();
  const counts = counted(spans);
  element("legend").replaceChildren(...legend(counts));
  const chosen = chosenPolicy();
  const words = value.match(/\S+/g)?.length ?? 0;
  let told = several(words, "word");
  if (chosen && !chosen.finds_spans) told += "; words are drawn, whatever they are";
  else told += (spans.length ? `; ${shownCount(spans.length)} found to be drawn` : "; nothing found to be drawn") + keptNumbers(bySpans(value, spans).filter((piece) => !piece.kind).map((piece) => piece.text));
  element("found-words").textContent = words ? told : "";
}

/* Policies */

const chosenPolicy = () => now.policies.find((one) => one.name === policy.value);

/** Nats of one word that may be asked for; undefined where the policy has no choice. */
const chosenEpsilon = () => chosenPolicy()?.epsilons[Number(at.value)];

function showPolicy() {
  const chosen = chosenPolicy();
  element("policy-describes").textContent = chosen?.describes ?? "";
  element("choice").hidden = !chosen?.epsilons.length;
  if (chosen?.epsilons.length) {
    at.max = chosen.epsilons.length - 1;
    at.value = at.max;
    showEpsilon();
  }
  if (text.value) edited();
}

/** What the choice of an epsilon means; the examples below move along. */
function showEpsilon() {
  const epsilon = chosenEpsilon();
  at.setAttribute("aria-valuetext", `epsilon ${epsilon}`);
  element("at-shown").textContent = `ε ${epsilon}`;
  const shares = now.explored?.shares(epsilon);
  element("at-means").replaceChildren(
    Number(at.value) === Number(at.max) ? "As the policy says. " : `Less than the policy's ${chosenPolicy().epsilons.at(-1)}: more is hidden, less costs. `,
    ...(shares ? ["An attacker recovered ", made("b", {}, shares[0]), " of the words of public texts, ", made("b", {}, shares[2]), " of their names."] : []));
  now.explored?.go(epsilon);
}

/** Which of the policies takes an epsilon: the chosen one, or else the first. */
const takes = (epsilon) => [chosenPolicy(), ...now.policies].find((one) => one?.epsilons.includes(epsilon));

/** The button below the figure: whether what is shown there can be used. */
function offerEpsilon(epsilon) {
  const taker = takes(epsilon);
  now.shown = epsilon;
  element("use").hidden = !taker;
  if (taker) element("use").textContent = `Use ε ${epsilon} for your text, with ${taker.name}`;
}

function useEpsilon() {
  const epsilon = now.shown;  // the figure moves as the policy changes
  const taker = takes(epsilon);
  if (policy.value !== taker.name) {
    policy.value = taker.name;
    showPolicy();
  }
  at.value = taker.epsilons.indexOf(epsilon);
  showEpsilon();
  account().catch(failed);
  element("bench").scrollIntoView({ block: "start" });
  at.focus({ preventScroll: true });
}

function offer(policies) {
  const before = policy.value;
  if (JSON.stringify(policies) === JSON.stringify(now.policies)) return;
  now.policies = policies;
  policy.replaceChildren(...policies.map((one) => made("option", { value: one.name }, one.name)));
  if (policies.some((one) => one.name === before)) policy.value = before;
  showPolicy();
  if (now.shown) offerEpsilon(now.shown);
}

/* Release */

async function releaseNow(event) {
  event?.preventDefault();
  const value = text.value.toWellFormed();
  if (now.busy) return;
  if (!value.trim()) {
    text.focus();
    return problem("There is nothing to release.", "Write or paste a text first.");
  }
  busy(true);
  try {
    const chosen = chosenPolicy();
    shown(value, chosen, await api.release(value, policy.value, chosenEpsilon()));
  } catch (error) {
    nothingLeft();
    failed(error);
  } finally {
    busy(false);
  }
}

function busy(is) {
  now.busy = is;
  element("go").setAttribute("aria-disabled", String(is));
  element("release").classList.toggle("busy", is);
  if (is) element("release-words").textContent = "Drawing…";
  else if (element("release-words").textContent === "Drawing…") element("release-words").textContent = "";
}

function shown(original, chosen, answer) {
  problem();
  const drawn = inUnits(answer.text, answer.pieces ?? []);
  const pieces = answer.pieces ? bySpans(answer.text, drawn) : byWords(original, answer.text);
  now.released = answer.text;
  if (answer.pieces) now.maps = [{ text: answer.text, pieces: answer.pieces }, ...now.maps].slice(0, MAPS);
  now.pieces = (pieces ?? [{ text: answer.text, kind: "" }]).map((piece) => ({ ...piece, drawn: Boolean(piece.kind) }));
  element("correct-label").hidden = !answer.corrections || !pieces;
  correctable(answer.corrections);
  element("release").scrollTop = 0;
  if (narrow.matches) element("release-title").scrollIntoView({ block: "start" });
  element("release-words").textContent = changedIn(pieces, answer.text);
  for (const id of ["copy", "release-tag", "promise"]) element(id).hidden = false;
  element("compare-label").hidden = !pieces;
  const fine = answer.guarantee.for_release !== false;
  element("release-tag").textContent = fine ? "released" : "not for release";
  element("release-tag").classList.toggle("warn", !fine);
  promise(answer, chosen);
  purse(answer.budget);
  element("answer-section").hidden = !now.maps.length;
  element("answer-own").hidden = !answer.pieces;
  element("answer-several").textContent = now.maps.length > 1 ? ` It may answer any of the last ${now.maps.length} releases of this tab.` : "";
}

function promise({ guarantee, budget }, chosen) {
  const { lead, odds, status } = promiseOf(guarantee, chosen?.finds_spans ?? false);
  element("promise-lead").textContent = lead;
  element("promise-odds").textContent = odds;
  element("promise-status").textContent = status;
  const cost = costOf(guarantee.per_document);
  element("cost").textContent = cost.figure;
  element("cost-words").textContent = cost.words;
  element("left-words").textContent = leftOf(budget);
  const gaps = chosen?.finds_spans ? guarantee.not_covered : [...guarantee.not_covered, ...guarantee.public];
  element("not-covered-title").textContent = chosen?.finds_spans ? "Not covered" : "Not hidden";
  element("not-covered").replaceChildren(...gaps.map((gap) => made("li", {}, gap)));
  element("kinds-rows").replaceChildren(...guarantee.by_kind.filter((one) => one.count).map((one) => made("tr", {},
    made("th", { scope: "row", "data-hue": hueOf(one.kind) }, one.kind),
    made("td", { class: "number" }, shownCount(one.count)),
    made("td", {}, one.done || "mechanism of words"),
    made("td", {}, `${one.text}, ${one.status}`),
    made("td", {}, (one.public ?? []).join("; ") || "nothing"))));
}

/* Corrections: clicks on what was released, as lists of a policy */

const sheet = new Sheet(element("release"), (choice) => now.correcting?.choose(choice));

/** What was marked under a policy stays while this tab is open, whatever is released in between. */
function correctable(base) {
  if (base && !now.corrections.has(base.extends)) now.corrections.set(base.extends, new Corrections(base));
  const corrections = base && now.corrections.get(base.extends);
  const on = Boolean(corrections) && element("correct").checked;
  now.correcting = null;
  element("corrections").hidden = !on;
  element("correct").onchange = () => correctable(base);
  sheet.turn(on);
  if (on) now.correcting = panel(element("corrections"), corrections, () => sheet.show(now.pieces, corrections, change));
  else element("release").replaceChildren(changes(now.pieces));
}

/** A click on what was drawn begins to correct it. */
function correctThis(event) {
  if (element("correct").checked || element("correct-label").hidden || !event.target.closest("ins")) return;
  const place = sheet.selected();
  if (!place || place[0] !== place[1]) return;  // somebody selects text, to copy it
  element("correct").checked = true;
  element("correct").onchange();
  sheet.select(...place);
  sheet.take(true);
}

/* Budget */

function purse(budget) {
  const capped = Boolean(budget?.remaining);
  element("purse").hidden = !capped;
  if (!capped) return;
  const limit = budget.limit.epsilon;
  const left = Math.max(0, budget.remaining.epsilon);
  const share = limit ? left / limit : 0;
  element("purse-words").replaceChildren("Budget left ", made("b", {}, `ε ${shownLeft(left)}`), ` of ${shownLeft(limit)}${wordsLeft(budget)}`);
  element("purse").classList.toggle("low", share < LOW);
  element("purse-bar").setAttribute("width", `${100 * share}%`);
  for (const [name, value] of [["aria-valuemax", limit], ["aria-valuenow", left]]) element("purse-meter").setAttribute(name, value);
}

/* What goes wrong */

function problem(title, told = "") {
  const shown = element("problem");
  shown.hidden = !title;
  shown.replaceChildren(...(title ? [made("b", {}, title), told.slice(0, 1).toUpperCase() + told.slice(1)] : []));
}

/** What was released before stands no longer beside a text that was not. */
function nothingLeft() {
  now.released = "";
  element("release-words").textContent = "";
  correctable(null);
  element("release").replaceChildren(made("p", { class: "empty" }, "Nothing has left."));
  for (const id of ["copy", "release-tag", "promise", "compare-label", "correct-label"]) element(id).hidden = true;
}

const refused = () => (api.keyInUse() ? "This server does not take that key." : "This server wants a key.");

function failed(error) {
  if (error.status === 401) {
    element("key-problem").textContent = refused();
    return openKey();
  }
  if (error.code === "budget_exhausted") return problem("The budget does not reach: nothing was released.", error.message);
  return problem("Nothing was released.", error.message);
}

/* Key */

function openKey() {
  const dialog = element("key-dialog");
  element("key-forget").hidden = !api.keyInUse();
  if (!dialog.open) dialog.showModal();
  element("key").focus();
}

async function useKey(event) {
  event.preventDefault();
  const field = element("key");
  const before = [api.keyInUse(), api.person()];
  api.setCaller(field.value.trim() || before[0], element("person").value.trim());
  element("key-problem").textContent = "";
  try {
    await account();
  } catch (error) {
    element("key-problem").textContent = error.status === 401 ? refused() : error.message;
    api.setCaller(...before);
    return field.focus();
  }
  field.value = "";
  element("key-dialog").close();
}

/** What hangs on who calls: policies and the budget. */
async function account() {
  const { policies, budget } = await accountOf(policy.value || null, chosenEpsilon()).catch((error) => {
    if (error.code === "other_policy") return accountOf(null);  // another key has other policies
    throw error;
  });
  offer(policies);
  purse(budget);
  const state = api.keyInUse() ? "Key in use" : "No key";
  element("key-state").textContent = api.person() ? `${state}, for a person` : state;
  problem();
}

function forgetKey() {
  api.setCaller("", "");
  element("person").value = "";
  element("key-dialog").close();
  element("key-state").textContent = "No key";
  purse(null);
  account().catch(failed);
}

/* The way back */

async function restoreNow() {
  try {
    const { text: restored, originals, ambiguous } = await api.restore(element("answer").value.toWellFormed(), now.maps);
    const pieces = bySpans(restored, inUnits(restored, originals.map((place) => ({ ...place, kind: "own" }))));
    const shown = document.createDocumentFragment();
    for (const piece of pieces) shown.append(piece.kind ? made("span", { class: "back", "data-hue": hueOf(piece.kind) }, piece.text) : piece.text);
    element("restored").replaceChildren(shown);
    const left = ambiguous.length ? `; ${ambiguous.length} ${ambiguous.length === 1 ? "place stays" : "places stay"}, as it may stand for several` : "";
    element("restored-words").textContent = `${originals.length} put back${left}.`;
  } catch (error) {
    element("restored-words").textContent = error.message;
  }
}

/* Wiring */

async function copied() {
  try {
    await navigator.clipboard.writeText(now.released);
  } catch {  // there is none without an encrypted connection: copy as a hand would
    getSelection().selectAllChildren(element("release"));
    document.execCommand("copy");
    getSelection().removeAllRanges();
  }
  element("copy").textContent = "Copied";
  setTimeout(() => { element("copy").textContent = "Copy"; }, 1500);
}

text.addEventListener("input", edited);
text.addEventListener("scroll", () => { under.scrollTop = text.scrollTop; });
at.addEventListener("input", () => {
  showEpsilon();
  clearTimeout(now.settling);
  now.settling = setTimeout(() => account().catch(failed), WAIT);
});
element("use").addEventListener("click", useEpsilon);
policy.addEventListener("change", () => { showPolicy(); account().catch(failed); });
element("bench").addEventListener("submit", releaseNow);
text.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) releaseNow(event); });
element("compare").addEventListener("change", (event) => element("release").classList.toggle("compare", event.target.checked));
element("copy").addEventListener("click", copied);
element("clear").addEventListener("click", () => write(""));
element("answer-own").addEventListener("click", () => { element("answer").value = now.released; restoreNow(); });
element("restore").addEventListener("click", restoreNow);
element("key-open").addEventListener("click", openKey);
element("key-close").addEventListener("click", () => element("key-dialog").close());
element("key-forget").addEventListener("click", forgetKey);
element("key-form").addEventListener("submit", useKey);
element("release").addEventListener("keydown", (event) => now.correcting?.key(event));
addEventListener("beforeunload", (event) => { if ([...now.corrections.values()].some((one) => !one.saved)) event.preventDefault(); });
element("release").addEventListener("click", correctThis);
copyOnlyReleased(element("release"));
if (/Mac|iP/.test(navigator.platform)) element("go-keys").textContent = "⌘ ↵";

api.start().then(learnHues).then((started) => {
  element("version").textContent = started.version;
  element("sample").addEventListener("click", () => write(started.sample));
  now.explored = explore(started.recovery, offerEpsilon);
  if (chosenEpsilon()) showEpsilon();
}).catch(failed);
account().catch(failed);
