import type { Ctx } from "../context.ts";

/** Address of a page for mails and the shell, which have no request. Without BASE_URL: on this machine. */
export function siteUrl({ config }: Pick<Ctx, "config">, path: string): string {
  const { baseUrl, port } = config;
  return `${baseUrl ?? `http://localhost:${port}`}${path}`;
}

/** Formats of a user's feeds: the ends of their addresses. */
const feedFormats = ["rss", "atom", "json"] as const;

/** The feeds of a user; `profile` is the address of the profile. */
export function feedUrls(profile: string): string[] {
  return feedFormats.map((format) => `${profile}.${format}`);
}
