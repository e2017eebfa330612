/** A notification on the page. */
export interface ShownNotification {
  /** Begins with "New: " if it is unread. */
  sentence: string;
  unread: boolean;
  excerpt: string | undefined;
}

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");

/** The notifications of a page, in order. */
export function notificationsOn(html: string): ShownNotification[] {
  const items = html.split(/<li class="notification\b/).slice(1);
  return items.map((item) => ({
    sentence: textOf(/<p class="notification-sentence">(.*?)<\/p>/s.exec(item)?.[1] ?? ""),
    unread: /^[^">]*\bunread\b/.test(item),
    excerpt: excerptOf(item),
  }));
}

function excerptOf(item: string): string | undefined {
  const excerpt = /<a class="notification-excerpt"[^>]*>(.*?)<\/a>/s.exec(item)?.[1];
  return excerpt === undefined ? undefined : textOf(excerpt);
}

/** The unread count in the navigation, if any. */
export function badgeOn(html: string): string | undefined {
  const entry = /<a class="main-nav-link" href="\/notifications".*?<\/a>/s.exec(html)?.[0] ?? "";
  const badge = /<span class="main-nav-badge">(.*?)<\/span>/.exec(entry)?.[1];
  const spoken = /aria-label="Notifications, (\d+\+?) new"/.exec(entry)?.[1];
  if (badge !== spoken) throw new Error(`shown ${badge}, spoken ${spoken}`);
  return badge;
}
