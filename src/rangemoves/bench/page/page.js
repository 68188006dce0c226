"use strict";
const body = document.querySelector("#results tbody");
const rows = Array.from(body.rows);
const form = document.getElementById("filters");
const words = document.getElementById("words");

function compare(a, b, number) {
  if (a === "" || b === "") return a === b ? 0 : null;
  return number ? Number(a) - Number(b) : a.localeCompare(b, "en", {numeric: true});
}
function sortBy(heading) {
  const headings = Array.from(heading.parentNode.cells);
  const column = headings.indexOf(heading);
  const number = heading.classList.contains("number");
  const up = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of headings) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = row => row.cells[column].dataset.value;
  rows.sort((first, second) => {
    const a = value(first), b = value(second);
    const order = compare(a, b, number);
    // What is not known comes last, whichever way the rest is sorted.
    return order === null ? (a === "" ? 1 : -1) : up ? order : -order;
  });
  body.append(...rows);
}
for (const button of document.querySelectorAll("#results thead button")) {
  button.addEventListener("click", () => sortBy(button.closest("th")));
}

function filter() {
  const chosen = Array.from(form.querySelectorAll("select"), s => [s.dataset.key, s.value]);
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = chosen.every(([key, value]) => value === "" || row.dataset[key] === value)
      && wanted.every(word => text.includes(word));
    row.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  document.getElementById("shown").value = shown === rows.length
    ? rows.length + " rows" : shown + " of " + rows.length + " rows";
}
form.addEventListener("input", filter);
document.getElementById("clear").addEventListener("click", () => {
  form.reset();
  filter();
});
form.addEventListener("submit", event => event.preventDefault());
filter();

const groups = Array.from(document.querySelectorAll(".group"));
const links = Array.from(document.querySelectorAll(".chooser a"));
function choose() {
  const name = decodeURIComponent(location.hash.slice(1));
  const all = name === "all-figures";
  const known = groups.some(group => group.id === name);
  // A link to another section of the page leaves the choice as it is.
  if (!all && !known && links.some(link => link.hasAttribute("aria-current"))) return;
  const chosen = known ? name : groups[0].id;
  for (const group of groups) group.hidden = !all && group.id !== chosen;
  for (const link of links) {
    const target = decodeURIComponent(link.hash.slice(1));
    if (target === (all ? "all-figures" : chosen)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
if (groups.length > 0) {
  window.addEventListener("hashchange", () => {
    choose();
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target !== null && target.classList.contains("group")) target.scrollIntoView();
  });
  for (const link of links) {
    link.addEventListener("click", event => {
      // The page stays where it is: the chooser is above what it chooses.
      event.preventDefault();
      history.replaceState(null, "", link.hash);
      choose();
    });
  }
  choose();
}

const viewer = document.getElementById("viewer");
let maps = [], place = 0;
function view(step) {
  place = (place + step + maps.length) % maps.length;
  const image = maps[place].querySelector("img");
  document.getElementById("viewer-image").src = image.src;
  document.getElementById("viewer-image").alt = image.alt;
  document.getElementById("viewer-name").textContent = image.alt;
  document.getElementById("viewer-place").textContent = (place + 1) + " of " + maps.length;
}
for (const button of document.querySelectorAll(".maps button")) {
  button.addEventListener("click", () => {
    maps = Array.from(button.closest(".maps").querySelectorAll("button"));
    place = maps.indexOf(button);
    view(0);
    viewer.showModal();
  });
}
viewer.addEventListener("keydown", event => {
  if (event.key === "ArrowRight") view(1);
  else if (event.key === "ArrowLeft") view(-1);
});
document.getElementById("next").addEventListener("click", () => view(1));
document.getElementById("previous").addEventListener("click", () => view(-1));
document.getElementById("close").addEventListener("click", () => viewer.close());
