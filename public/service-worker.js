// Shows the pushes of this site, and opens the page of one. Keeps no pages: the site works without it.

self.addEventListener("push", (event) => {
  const { title, body, icon, preferred_locale, notification_type, path, ...push } =
    event.data.json();
  // A second like of a tweet takes the place of the first, without a sound; a second message does not.
  const isSeparate = /^(mention|follow_request)$/.test(notification_type);
  const tag = `${notification_type} ${isSeparate ? push.notification_id : path}`;
  const about = { body, icon, lang: preferred_locale, dir: "auto", tag, data: { path } };
  event.waitUntil(self.registration.showNotification(title, about));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

async function open(path) {
  const { origin } = self.location;
  const asked = new URL(path, origin);
  const { href } = asked.origin === origin ? asked : new URL("/notifications", origin);
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = pages.find((page) => page.url === href);
  await (shown === undefined ? self.clients.openWindow(href) : shown.focus());
}
