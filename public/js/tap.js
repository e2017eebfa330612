// A tap on a tweet or a quote opens it, like the link of its time. Its links and buttons keep their meaning.

const controls = "a, button, input, textarea, select, label, summary, details, form, dialog";

document.addEventListener("click", (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (button !== 0 || event.defaultPrevented || altKey || shiftKey) return;
  if (target.closest(controls) !== null || !getSelection().isCollapsed) return;
  const link = linkOf(target);
  // With the keys that open another tab.
  link?.dispatchEvent(
    new MouseEvent("click", { bubbles: true, cancelable: true, view: window, ctrlKey, metaKey }),
  );
});

function linkOf(target) {
  const quote = target.closest(".quote");
  if (quote !== null) return quote.querySelector(".quote-author");
  return target.closest("article.tweet:not(.tweet-large)")?.querySelector("a.tweet-time");
}
