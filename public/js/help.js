import { element, kept } from "./dom.js";
import { words } from "./words.js";

/** The keys, and a switch to turn them off. */
export function showHelp() {
  const heading = element("h2", { id: "hotkeys-heading" }, words.hotkeys);
  const rows = words.keys.map(([keys, meaning]) =>
    element(
      "div",
      {},
      element("dt", {}, ...keys.split(" ").map((key) => element("kbd", {}, key))),
      element("dd", {}, meaning),
    ),
  );
  const isOn = element("input", { type: "checkbox", checked: kept.read("hotkeys") !== "off" });
  isOn.addEventListener("change", () => kept.write("hotkeys", isOn.checked ? "on" : "off"));
  const close = element("button", { className: "button button-primary" }, words.close);
  const dialog = element(
    "dialog",
    { className: "help" },
    heading,
    element("dl", {}, ...rows),
    element("label", { className: "choice" }, isOn, words.hotkeysOn),
    element("form", { method: "dialog" }, close),
  );
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.dataset.turboTemporary = "";
  dialog.addEventListener("close", () => dialog.remove());
  // Beside it is outside.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
