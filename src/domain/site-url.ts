import type { Ctx } from "../context.ts";

/** Address of a page for mails and the shell, which have no request. Without BASE_URL: on this machine. */
export function siteUrl({ config }: Pick<Ctx, "config">, path: string): string {
  const { baseUrl, port } = config;
  return `${baseUrl ?? `http://localhost:${port}`}${path}`;
}

/** The feeds of a user; `profile` is the address of the profile. */
export function feedUrls(profile: string): string[] {
  return ["rss", "atom", "json"].map((format) => `${profile}.${format}`);
}
