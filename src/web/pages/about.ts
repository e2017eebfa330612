import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { type Endpoint, scopesOf } from "../api/endpoint.ts";
import { endpoints as declared } from "../api/endpoints.ts";
import { tagOf } from "../api/openapi.ts";
import { firstSteps, presentAbout, presentPrivacy } from "../present/about.ts";
import { siteOrigin } from "../send-public.ts";
import { version } from "../version.ts";

/** Public pages about the site, its software, its data and its API. */
export function aboutPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/about", async (_req, res) => {
    const { words, site } = res.locals;
    res.render("about/about", await presentAbout(ctx, words, site, version));
  });
  router.get("/privacy", (_req, res) => {
    res.render("about/privacy", presentPrivacy(ctx, res.locals.words));
  });
  router.get("/about/api", (req, res) => {
    const { words } = res.locals;
    const address = "/api/openapi.json";
    res.render("about/api", {
      title: words.t("api.title"),
      steps: firstSteps(siteOrigin(ctx, req)),
      document: words.pieces("api.document", { link: { text: address, href: address } }),
      nouns: presentEndpoints(),
    });
  });
  return router;
}

/** Endpoints of the API, grouped by noun. Their texts are those of the OpenAPI document, in English. */
function presentEndpoints() {
  const nouns = new Map<string, ReturnType<typeof presentEndpoint>[]>();
  for (const endpoint of declared) {
    const noun = tagOf(endpoint);
    nouns.set(noun, [...(nouns.get(noun) ?? []), presentEndpoint(endpoint)]);
  }
  return [...nouns].map(([noun, endpoints]) => ({ noun, endpoints }));
}

function presentEndpoint({ method, path, summary, access, query, body }: Endpoint) {
  const fields = [...Object.keys(query?.shape ?? {}), ...Object.keys(body?.shape ?? {})];
  const isOpen = typeof access === "string" || access.optional === true;
  // A token needs one of these scopes.
  const scope = isOpen ? undefined : scopesOf(access).join(", ");
  return { method: method.toUpperCase(), path, summary, scope, fields };
}
