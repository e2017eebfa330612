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
  const dialog = link.closest("dialog");
  void show(dialog ?? open(link.querySelector("img:not(.picture-blur)").alt), link.href);
});

document.addEventListener("keydown", (event) => {
  const dialog = event.target.closest(".picture-dialog");
  dialog?.querySelector(`a[rel="${neighbours[event.key]}"]`)?.click();
});

/** A dialog without its picture, which may take long. */
function open(ariaLabel) {
  const close = element("button", {
    className: "button button-quiet",
    type: "button",
    textContent: words.t("script.close"),
    onclick: () => dialog.close(),
  });
  const dialog = element("dialog", { className: "picture-dialog", ariaLabel }, close);
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
  dialog.querySelector(".picture-view")?.remove();
  dialog.prepend(view);
  dialog.ariaLabel = view.querySelector("img").alt;
  // The link that was pressed is gone, and arrow keys need the focus in the dialog.
  dialog.lastChild.focus();
}
