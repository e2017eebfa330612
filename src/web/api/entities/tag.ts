/** Mastodon's Tag; tags cannot be followed. */
export interface Tag {
  name: string;
  url: string;
  history: { day: string; accounts: string; uses: string }[];
  following: false;
  featuring: false;
}

/** `people` used it in the last 24 hours, which are told of as the day that begins at `day`, in seconds. */
export function tagEntity(site: string, name: string, used?: { people: number; day: number }): Tag {
  const url = `${site}/tags/${encodeURIComponent(name)}`;
  const history =
    used === undefined
      ? []
      : [{ day: String(used.day), accounts: String(used.people), uses: String(used.people) }];
  return { name, url, history, following: false, featuring: false };
}
