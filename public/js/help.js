import { element, kept } from "./dom.js";
import { words } from "./words.js";

const keys = {
  next: "j",
  previous: "k",
  write: "n",
  reply: "r",
  retweet: "t",
  like: "l",
  open: "Enter",
  search: "/",
  home: "g h",
  explore: "g e",
  notifications: "g n",
  profile: "g p",
  help: "?",
};

/** Shows the keyboard shortcuts, and a switch to turn them off. */
export function showHelp() {
  const heading = element("h2", { id: "hotkeys-heading" }, words.t("script.hotkeys"));
  const rows = Object.entries(keys).map(([name, pressed]) =>
    element(
      "div",
      {},
      element("dt", {}, ...pressed.split(" ").map((key) => element("kbd", {}, key))),
      element("dd", {}, words.t(`hotkey.${name}`)),
    ),
  );
  const isOn = element("input", { type: "checkbox", checked: kept.read("hotkeys") !== "off" });
  isOn.addEventListener("change", () => kept.write("hotkeys", isOn.checked ? "on" : "off"));
  const close = element("button", { className: "button button-primary" }, words.t("script.close"));
  const dialog = element(
    "dialog",
    { className: "help" },
    heading,
    element("dl", {}, ...rows),
    element("label", { className: "choice" }, isOn, words.t("script.hotkeysOn")),
    element("form", { method: "dialog" }, close),
  );
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.dataset.turboTemporary = "";
  dialog.addEventListener("close", () => dialog.remove());
  // A click on the dialog itself is a click on the backdrop.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
