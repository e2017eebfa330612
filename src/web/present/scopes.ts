import type { Scope, Scopes } from "../../domain/apps/scopes.ts";
import type { Translator } from "../languages/translator.ts";

/** What scopes let an app do, to somebody who decides about it, without those that another one has in it. */
export function presentScopes(words: Translator, scopes: Scopes): string[] {
  const told = [...scopes].filter((scope) => {
    // All that it is for is in these two.
    if (scope === "follow") return !(scopes.has("read") && scopes.has("write"));
    const [group = "", part] = scope.split(":");
    return part === undefined || !scopes.has(group as Scope);
  });
  return told.map((scope) => words.t(`scope.${scope}`));
}
