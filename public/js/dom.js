/** Creates an element with its properties and children. */
export function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Runs `enhance` for each page. A page shown again from the cache contains the result of an earlier run. */
export function onPage(enhance) {
  for (const event of ["turbo:load", "turbo:render"]) document.addEventListener(event, enhance);
}

/** Loads another page of the site; undefined if that fails. */
export async function readPage(href) {
  try {
    const answer = await fetch(href, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return undefined;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return undefined;
  }
}

/** Local storage of the browser; reads are undefined if it stores nothing. */
export const kept = {
  read: (key) => attempt(() => localStorage.getItem(key) ?? undefined),
  write: (key, value) => attempt(() => localStorage.setItem(key, value)),
  remove: (key) => attempt(() => localStorage.removeItem(key)),
  keys: () => attempt(() => Object.keys(localStorage)) ?? [],
};

function attempt(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}
