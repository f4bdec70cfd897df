"use strict";
const body = document.querySelector("#claims tbody"), rows = [...body.rows];
const [sort, verdict, shown] = ["sort", "verdict", "shown"].map((id) => document.getElementById(id));
const heads = [...document.querySelectorAll("#claims thead th")];
let down = false;
function show() {
  const column = Number(sort.value), text = (row) => row.cells[column].textContent;
  rows.sort((one, other) => text(one).localeCompare(text(other), "en", { numeric: true }) * (down ? -1 : 1));
  rows.forEach((row) => { row.hidden = verdict.value !== "" && row.dataset.verdict !== verdict.value; row.style.display = row.hidden ? "none" : ""; });
  body.append(...rows);
  heads.forEach((head, n) => n === column ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
  shown.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
}
heads.forEach((head, n) => {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  button.style.cssText = "font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-decoration:underline dotted";
  button.onclick = () => { down = Number(sort.value) === n && !down; sort.value = n; show(); };
  head.append(button);
});
sort.onchange = verdict.onchange = () => { down = false; show(); };
const open = () => { const row = document.getElementById(decodeURIComponent(location.hash.slice(1))); if (row) { row.hidden = false; row.style.display = ""; row.querySelector("details").open = true; row.scrollIntoView(); } };
window.onhashchange = open;
shown.textContent = `${rows.length} rows`;
open();
