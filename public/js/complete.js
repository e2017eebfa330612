import { announce } from "./announce.js";
import { element, onPage, readPage } from "./dom.js";
import { words } from "./words.js";

// Completes @names and #tags in composers and search boxes, as a combobox that nothing is chosen in by itself:
// https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ (a textarea keeps its role, which HTML gives it for good).

/** Milliseconds without typing after which the site is asked. */
const pause = 150;
const boxes = 'form[action="/search"] input[type="search"]';
const fields = `form[data-limit] textarea, ${boxes}`;
/** What is typed before the caret. */
const token = /(?:^|[^\p{L}\p{M}\p{N}_@＠#＃/.])([@＠#＃][\p{L}\p{M}\p{N}_]{1,50})$/u;

let timer;
/** The list that is shown: its field, its options, and which of them is chosen. */
let shown;

onPage(() => {
  for (const box of document.querySelectorAll(boxes)) {
    box.setAttribute("role", "combobox");
    box.setAttribute("aria-expanded", "false");
  }
  for (const field of document.querySelectorAll(fields))
    field.setAttribute("aria-autocomplete", "list");
});
document.addEventListener("turbo:before-cache", close);
document.addEventListener("focusout", close);
for (const event of ["input", "compositionend"]) document.addEventListener(event, typed);

function typed({ target, isComposing }) {
  if (!target.matches(fields)) return;
  clearTimeout(timer);
  const start = isComposing ? undefined : tokenIn(target);
  if (start === undefined) close();
  else timer = setTimeout(() => ask(target, start), pause);
}

function tokenIn(field) {
  if (field.selectionStart !== field.selectionEnd) return undefined;
  return token.exec(field.value.slice(0, field.selectionEnd))?.[1];
}

async function ask(field, start) {
  const page = await readPage(`/search/completions?q=${encodeURIComponent(start)}`);
  // The user has typed on meanwhile, or left.
  if (document.activeElement !== field || tokenIn(field) !== start) return;
  close();
  const options = [...(page?.querySelectorAll('[role="option"]') ?? [])];
  if (options.length > 0) show(field, options);
}

function show(field, options) {
  for (const [nth, option] of options.entries()) option.id = `completion-${nth}`;
  const list = element("ul", { id: "completions", className: "completions" }, ...options);
  list.role = "listbox";
  list.ariaLabel = words.t("script.suggestions");
  // The field keeps the focus.
  list.onmousedown = (event) => event.preventDefault();
  list.onclick = ({ target }) => {
    shown.at = options.indexOf(target.closest("li"));
    insert();
  };
  field.after(list);
  list.style.insetBlockStart = `${field.offsetTop + field.offsetHeight}px`;
  field.setAttribute("aria-controls", list.id);
  if (field.role === "combobox") field.ariaExpanded = "true";
  shown = { field, list, options, at: -1 };
  announce(words.t("script.suggested", { count: options.length }));
}

function close() {
  clearTimeout(timer);
  if (shown === undefined) return;
  const { field, list } = shown;
  shown = undefined;
  list.remove();
  field.removeAttribute("aria-controls");
  field.removeAttribute("aria-activedescendant");
  if (field.role === "combobox") field.ariaExpanded = "false";
}

/** False if nothing is chosen. */
function insert() {
  const { field, options, at } = shown;
  const end = field.selectionEnd;
  const start = tokenIn(field);
  if (at === -1 || start === undefined) return false;
  close();
  field.setRangeText(`${options[at].dataset.text} `, end - start.length, end, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Chooses the next option; before the first and after the last, none. */
function move(step) {
  const { field, options } = shown;
  const places = options.length + 1;
  shown.at = ((shown.at + 1 + step + places) % places) - 1;
  for (const [nth, option] of options.entries()) option.ariaSelected = String(nth === shown.at);
  const chosen = options[shown.at];
  if (chosen === undefined) field.removeAttribute("aria-activedescendant");
  else field.setAttribute("aria-activedescendant", chosen.id);
  chosen?.scrollIntoView({ block: "nearest" });
}

const keys = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Enter: insert,
  Tab: insert,
  Escape: close,
};

document.addEventListener(
  "keydown",
  (event) => {
    const { key, target, isComposing, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (target !== shown?.field || isComposing || ctrlKey || metaKey || altKey || shiftKey) return;
    if (!Object.hasOwn(keys, key) || keys[key]() === false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);
