// A picture opens in a dialog, with what its own page shows; arrow keys lead to its neighbours.
// oxlint-disable-next-line import/no-unassigned-import -- it only adds listeners
import "./attach.js";
import { element, readPage } from "./dom.js";
import { words } from "./words.js";

const neighbours = { ArrowLeft: "prev", ArrowRight: "next" };

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.picture, .picture-dialog a[rel]");
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  void show(link.closest("dialog") ?? open(), link.href);
});

document.addEventListener("keydown", (event) => {
  const dialog = event.target.closest(".picture-dialog");
  dialog?.querySelector(`a[rel="${neighbours[event.key]}"]`)?.click();
});

function open() {
  const dialog = element("dialog", { className: "picture-dialog" });
  dialog.dataset.turboTemporary = "";
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

async function show(dialog, href) {
  const page = await readPage(href);
  // It was closed meanwhile, or its page was left.
  if (!dialog.isConnected) return;
  const view = page?.querySelector(".picture-view");
  if (!view) {
    location.assign(href);
    return;
  }
  const close = element("button", {
    className: "button button-quiet",
    type: "button",
    textContent: words.t("script.close"),
  });
  close.addEventListener("click", () => dialog.close());
  dialog.ariaLabel = page.querySelector("h1").textContent;
  dialog.replaceChildren(view, close);
  close.focus();
}
