import { cleanText, countGraphemes, isBlank } from "../../src/domain/users/display-text.ts";
import { announce } from "./announce.js";
import { element, onPage } from "./dom.js";
import { words } from "./words.js";

/** Characters left from which screen readers announce the count. */
const near = 20;

const composers = "form[data-limit]";
const areaOf = (form) => form.elements.text;
const lengthOf = ({ value }) => countGraphemes(cleanText(value));
const leftIn = (form) =>
  form.dataset.limit - lengthOf(areaOf(form)) - lengthOf(form.elements.warning);

onPage(() => {
  for (const form of document.querySelectorAll(composers)) {
    // Problems are shown beside the field, as the server would show them.
    form.noValidate = true;
    count(form);
  }
});

document.addEventListener("turbo:load", start);
addEventListener("hashchange", start);

/** At #text and #reply: the composer has the focus. */
function start() {
  const area = document.getElementById("text");
  if (area === null || !["#text", "#reply"].includes(location.hash)) return;
  area.focus();
  // The text of a quote stands above its link.
  if (area.value.startsWith("\n")) area.setSelectionRange(0, 0);
}

document.addEventListener("click", ({ target }) => {
  const link = target.closest('a[href$="#text"], a[href$="#reply"]');
  // Pressed again, it changes no address.
  if (link !== null && link.href === location.href) setTimeout(start);
});

document.addEventListener("input", ({ target }) => {
  const form = target.closest(composers);
  if (form === null) return;
  const left = count(form);
  if (left <= near) announce(tell(left));
  if (problemOf(form) === undefined) show(form);
});

document.addEventListener(
  "submit",
  (event) => {
    const form = event.target.closest(composers);
    // A draft may be too long.
    const problem = form && !event.submitter?.formNoValidate && problemOf(form);
    if (!problem) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    show(form, problem);
    areaOf(form).focus();
  },
  true,
);

document.addEventListener("keydown", (event) => {
  const form = event.target.closest(composers);
  if (form === null) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  if (event.key === "Escape" && !event.isComposing) event.target.blur();
});

function problemOf(form) {
  if (isBlank(cleanText(areaOf(form).value)) && !hasPictures(form)) return form.dataset.empty;
  return leftIn(form) < 0 ? form.dataset.long : undefined;
}

function hasPictures(form) {
  const isKept = form.querySelector('[name="uploads"]:checked') !== null;
  return isKept || form.elements.pictures?.files.length > 0;
}

const tell = (left) => words.t(left < 0 ? "script.over" : "script.left", { count: Math.abs(left) });

/** Shows beside the field how many characters are left, and returns the number. */
function count(form) {
  const left = leftIn(form);
  const hint = form.querySelector(".field-hint");
  hint.textContent = tell(left);
  hint.classList.toggle("over", left < 0);
  return left;
}

/** Shows a problem, or removes it if undefined. */
function show(form, problem) {
  const area = areaOf(form);
  const known = form.querySelector("#text-error");
  area.ariaInvalid = problem ? "true" : null;
  if (problem === undefined) {
    known?.remove();
    area.setAttribute("aria-describedby", "text-hint");
    return;
  }
  const error =
    known ?? element("p", { id: "text-error", className: "field-error", role: "alert" });
  if (known === null) area.after(error);
  error.textContent = problem;
  area.setAttribute("aria-describedby", "text-error text-hint");
}
