import { announce } from "./announce.js";
import { readPage } from "./dom.js";

// Completes @names and #tags in composers and search boxes, as a combobox that nothing is chosen in by itself:
// https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ (a textarea keeps the role that HTML gives it).

/** Milliseconds without typing after which the site is asked. */
const pause = 150;
const box = 'form[action="/search"] input[type="search"], form[data-names] input';
const fields = `form[data-limit] textarea, ${box}`;
/** What is typed before the caret. */
const token = /(?:^|[^\p{L}\p{M}\p{N}_@＠#＃/.])([@＠#＃][\p{L}\p{M}\p{N}_]{1,50})$/u;

let timer;
/** The list that is shown: its field, its options, and which of them is chosen. */
let shown;

mark(document.activeElement);
document.addEventListener("focusin", ({ target }) => mark(target));
document.addEventListener("focusout", close);
document.addEventListener("turbo:before-cache", close);
for (const event of ["input", "compositionend"]) document.addEventListener(event, typed);
// What was typed while this script was loaded.
typed({ target: document.activeElement });

function mark(field) {
  if (!field.matches(fields) || field.ariaAutoComplete !== null) return;
  field.ariaAutoComplete = "list";
  if (!field.matches(box)) return;
  field.role = "combobox";
  field.ariaExpanded = "false";
}

function typed({ target, isComposing }) {
  if (!target.matches(fields)) return;
  clearTimeout(timer);
  const start = isComposing ? undefined : tokenIn(target);
  if (start === undefined) close();
  else timer = setTimeout(() => void ask(target, start), pause);
}

function tokenIn({ value, selectionStart, selectionEnd }) {
  if (selectionStart !== selectionEnd) return undefined;
  return token.exec(value.slice(0, selectionEnd))?.[1];
}

async function ask(field, start) {
  const page = await readPage(`/search/completions?q=${encodeURIComponent(start)}`);
  // The user has typed on meanwhile, or left.
  if (document.activeElement !== field || tokenIn(field) !== start) return;
  close();
  const list = page?.querySelector('[role="listbox"]');
  if (list) show(field, list);
}

function show(field, list) {
  const options = [...list.children];
  shown = { field, list, options, at: -1 };
  // The field keeps the focus.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    shown.at = options.indexOf(target.closest("li"));
    insert();
  });
  field.after(list);
  list.style.insetBlockStart = `${field.offsetTop + field.offsetHeight}px`;
  field.setAttribute("aria-controls", list.id);
  if (field.role === "combobox") field.ariaExpanded = "true";
  announce(list.dataset.spoken);
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
  return field.dispatchEvent(new Event("input", { bubbles: true }));
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
  // Before composer.js, whose Escape leaves the field.
  true,
);
