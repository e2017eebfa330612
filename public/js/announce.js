import { element } from "./dom.js";

let timer;

/** Speaks `text` to a screen reader when it has a moment. */
export function announce(text) {
  const region = inBody("announcer", "visually-hidden");
  region.textContent = "";
  // A region that has just come into the page is not listened to yet.
  setTimeout(() => (region.textContent = text), 150);
}

/** Shows and speaks `text` for a while, with what can be done about it: { label, act }. */
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
