// A button at each password field shows what was typed.
import { element, onPage } from "./dom.js";
import { words } from "./words.js";

onPage(addToggles);
// This page was shown before the script was loaded.
addToggles();

// A copy of the page has no listeners, and must not show a password.
document.addEventListener("turbo:before-cache", () => {
  for (const toggle of document.querySelectorAll(".password-toggle")) {
    toggle.previousElementSibling.type = "password";
    toggle.remove();
  }
});

function addToggles() {
  for (const input of document.querySelectorAll(".field > input[type=password]")) {
    if (input.parentElement.querySelector(".password-toggle") !== null) continue;
    const toggle = element("button", { type: "button", className: "password-toggle" });
    toggle.setAttribute("aria-controls", input.id);
    toggle.addEventListener("click", () => show(input, toggle, input.type === "password"));
    // Browsers keep the text of a plain field, and offer it again.
    input.form?.addEventListener("submit", () => show(input, toggle, false));
    show(input, toggle, false);
    input.after(toggle);
  }
}

function show(input, toggle, isShown) {
  input.type = isShown ? "text" : "password";
  input.spellcheck = false;
  input.autocapitalize = "none";
  toggle.textContent = words.t(isShown ? "script.hidePassword" : "script.showPassword");
}
