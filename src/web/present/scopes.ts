import type { Scope, Scopes } from "../../domain/apps/scopes.ts";
import type { Translator } from "../languages/translator.ts";

/** What an app may do with these scopes, in words. Leaves out scopes that another one includes. */
export function presentScopes(words: Translator, scopes: Scopes): string[] {
  const shown = [...scopes].filter((scope) => {
    // These two scopes together include it.
    if (scope === "follow") return !(scopes.has("read") && scopes.has("write"));
    const [group = "", part] = scope.split(":");
    return part === undefined || !scopes.has(group as Scope);
  });
  return shown.map((scope) => words.t(`scope.${scope}`));
}
