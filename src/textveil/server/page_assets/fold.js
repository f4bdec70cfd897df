// Small screens show one thing after another, folded; large ones all at once.

export const narrow = matchMedia("(max-width: 44rem)");
function fold() {
  for (const each of document.querySelectorAll(".fold")) each.open = !narrow.matches;
}
narrow.addEventListener("change", fold);
fold();
