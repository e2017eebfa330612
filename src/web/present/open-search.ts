import type { Translator } from "../languages/translator.ts";
import { escapeMarkup } from "./markup.ts";

/** Lets browsers search this site from their address bar; `base` is the origin of the site. */
export function renderOpenSearch(words: Translator, base: string): string {
  const at = (path: string) => escapeMarkup(`${base}${path}`);
  return `<?xml version="1.0" encoding="utf-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Suzume</ShortName>
<Description>${escapeMarkup(words.t("machine.search"))}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="16" height="16" type="image/x-icon">${at("/favicon.ico")}</Image>
<Url type="text/html" method="get" template="${at("/search?q={searchTerms}")}"/>
<Url type="application/opensearchdescription+xml" rel="self" template="${at("/opensearch.xml")}"/>
</OpenSearchDescription>
`;
}
