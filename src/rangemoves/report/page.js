"use strict";
const compare = document.getElementById("compare");
const split = document.getElementById("split");
function show() {
  compare.style.setProperty("--split", split.value + "%");
  split.setAttribute("aria-valuetext", split.value + " percent left image");
}
function drag(event) {
  if (event.buttons === 0) return;
  const box = compare.getBoundingClientRect();
  const part = (event.clientX - box.left) / box.width;
  split.value = String(Math.round(100 * Math.min(1, Math.max(0, part))));
  show();
  event.preventDefault();
}
split.addEventListener("input", show);
compare.addEventListener("pointerdown", drag);
compare.addEventListener("pointermove", drag);
show();
