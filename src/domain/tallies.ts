import { Counter } from "prom-client";

/** In no registry: /metrics has one for each site. */
const counter = (name: string, help: string, ...labelNames: string[]) =>
  new Counter({ name: `suzume_${name}_total`, help, labelNames, registers: [] });

/** What this process did since its start, for /metrics; an inline worker counts with its web process. */
export const tallies = {
  rebuilt: counter("timelines_rebuilt", "Home timelines that were filled anew."),
  searches: counter("searches", "Searches that no kept page answered.", "kind"),
  refusals: counter("refusals", "Requests that were refused with 429, by the limit.", "limit"),
};
