// Any origin works: it only shows whether a reference leaves it.
const here = "http://here.invalid";

/**
 * A path of this site to redirect to, or "/" for anything that could lead elsewhere: other origins,
 * `//host`, `/\host`, `https:host`, control characters.
 */
export function safePath(raw: string | undefined): string {
  // oxlint-disable-next-line no-control-regex -- browsers drop some control characters, and then…
  if (raw === undefined || !/^\/(?![/\\])[^\\\u0000-\u0020\u007F]*$/.test(raw)) return "/";
  if (!URL.canParse(raw, here)) return "/";
  const url = new URL(raw, here);
  const path = url.pathname + url.search + url.hash;
  // A path such as "/.//host" becomes "//host" once its dots are resolved.
  return url.origin === here && !path.startsWith("//") ? path : "/";
}
