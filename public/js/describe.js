// Beside each description of the composer: a small copy of the picture, and the number of characters left.
import { descriptionLimit } from "../../src/domain/pictures/picture.ts";
import { announce } from "./announce.js";
import { element } from "./dom.js";
import { words } from "./words.js";

/** Pixels of a copy, which is shown half as high. */
const height = 160;
/** Characters left from which screen readers announce the count. */
const near = 20;

const graphemes = new Intl.Segmenter();
/** The picture that a field shows. */
const shown = new WeakMap();

/** Shows `file` in the field of its description, or nothing if it is undefined. */
export function preview(field, file) {
  if (shown.get(field) === file) return;
  shown.set(field, file);
  field.querySelector("canvas")?.remove();
  if (file === undefined) return;
  const canvas = element("canvas", { width: height, height });
  canvas.ariaHidden = "true";
  field.prepend(canvas);
  void draw(canvas, file);
}

async function draw(canvas, file) {
  // A picture that this browser cannot read is no picture of a canvas; the server decides about it.
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return;
  canvas.width = Math.min(3 * height, (height * bitmap.width) / bitmap.height);
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, height);
  bitmap.close();
}

document.addEventListener("input", ({ target }) => {
  if (!target.matches('[name^="description_"]')) return;
  const left = descriptionLimit - [...graphemes.segment(target.value)].length;
  const text = words.t(left < 0 ? "script.over" : "script.left", { count: Math.abs(left) });
  const known = target.parentElement.querySelector(".field-hint");
  const hint = known ?? element("p", { className: "field-hint" });
  hint.textContent = text;
  hint.classList.toggle("over", left < 0);
  if (known === null) target.after(hint);
  if (left <= near) announce(text);
});
