import { element } from "./dom.js";

let timer;

/** Lets a screen reader speak `text` when it is idle. */
export function announce(text) {
  const region = inBody("announcer", "visually-hidden");
  region.textContent = "";
  // Screen readers do not watch a region that has just been added.
  setTimeout(() => (region.textContent = text), 150);
}

/** Shows and announces `text` for a while, with an optional button: { label, act }. */
export function toast(text, offer) {
  const region = inBody("toast", "toast");
  const hide = () => region.replaceChildren();
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (region.matches(":hover, :focus-within") ? wait() : hide()), 8000);
  };
  hide();
  setTimeout(() => {
    region.append(element("p", {}, text));
    if (offer !== undefined) {
      const onclick = () => {
        hide();
        offer.act();
      };
      region.append(
        element("button", { type: "button", className: "button", onclick }, offer.label),
      );
    }
    wait();
  }, 150);
}

function inBody(id, className) {
  const known = document.getElementById(id);
  if (known !== null) return known;
  const region = element("div", { id, className, role: "status" });
  region.dataset.turboTemporary = "";
  document.body.append(region);
  return region;
}
