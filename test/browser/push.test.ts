import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notify } from "../../src/domain/notifications/store.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import type { ArrivedPush } from "../support/actors/push-device.ts";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { type PushService, startPushService } from "../support/world/push-service.ts";

/**
 * Headless Chromium has no push service, so its pushManager cannot subscribe: the test gives the page an address of
 * a local one in its place. All else is real: the permission, the service worker, the form, the encrypted push
 * (which the test decrypts), and the worker that shows it (CDP delivers it, as Chromium would).
 */
describe("pushes in a browser", () => {
  let site: BrowserSite;
  let service: PushService;
  beforeAll(async () => {
    service = await startPushService();
    site = await openSite({ pushToLoopback: true });
  });
  afterAll(async () => {
    await site.close();
    await service.close();
  });

  it("a browser turns pushes on, shows a push, opens its page, and turns them off", async () => {
    const { world, url } = site;
    await world.newcomer("owner");
    const fan = await world.newcomer("fan");
    const { page, context, problems } = await site.openPage("owner", {
      reducedMotion: "reduce",
    });
    const device = service.device();
    const address = JSON.stringify({ endpoint: device.endpoint, keys: device.keys });
    await page.addInitScript(`PushManager.prototype.subscribe = async (options) => {
      if (options.applicationServerKey.length !== 87) throw new Error("no key");
      return { toJSON: () => (${address}) };
    }`);

    await page.goto("/settings/push");
    const turnOn = page.getByRole("button", { name: "Turn on" });
    await turnOn.waitFor();
    await expect.poll(() => page.getByText("it needs JavaScript").isVisible()).toBe(false);
    expect(await findAccessibilityProblems(page, "the page of pushes")).toEqual([]);
    // Headless Chromium denies what it is not told to grant.
    await turnOn.click();
    await page.getByText("Your browser does not allow this site to show notifications.").waitFor();
    await context.grantPermissions(["notifications"], { origin: url });
    await page.reload();
    await page.getByLabel("Likes").check();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("button", { name: "Turn off" }).waitFor();
    await expect.poll(() => page.getByLabel("Likes").isChecked()).toBe(true);
    expect(await findAccessibilityProblems(page, "with pushes")).toEqual([]);

    const [owner, actor] = [
      await getUserByName(world.ctx, "owner"),
      await getUserByName(world.ctx, "fan"),
    ];
    await fan.tweet("@owner good morning");
    const [sent] = await service.textsOf(device, 1);
    expect(sent).toMatchObject({ title: "Test fan mentioned you", body: "@owner good morning" });

    const cdp = await context.newCDPSession(page);
    const deliver = await deliverer(cdp, url);
    const data = device.decrypt(service.arrived[0] as ArrivedPush);
    // A busy browser may lose a push that this protocol gives it; another one with its tag takes its place.
    const shownAtLast = async () => {
      const shown = await shownOn(page);
      if (shown.length === 0) await deliver(data);
      return shown;
    };
    await expect
      .poll(shownAtLast, { interval: 1000 })
      .toEqual([["Test fan mentioned you", "@owner good morning", String(sent?.["path"])]]);
    // A second mention is one more, where a second like takes the place of the first.
    const second = data.replace(/"notification_id":\d+/, '"notification_id":1');
    const shownWithSecond = async () => {
      await deliver(second);
      return (await shownOn(page)).length;
    };
    await expect.poll(shownWithSecond, { interval: 1000 }).toBe(2);
    await click(context, String(sent?.["path"]), url);

    await page.goto("/settings/push");
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("button", { name: "Turn on" }).waitFor();
    await notify(world.ctx, {
      to: owner.id,
      actor: actor.id,
      kind: "follow",
      stamp: world.ctx.now() * 1000,
    });
    expect(service.texts(device)).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});

/** Gives decrypted pushes to the service worker of the site. */
async function deliverer(
  cdp: CDPSession,
  origin: string,
): Promise<(data: string) => Promise<void>> {
  const registered = new Promise<string>((resolve) => {
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await cdp.send("ServiceWorker.enable");
  const registrationId = await registered;
  return async (data) => {
    await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  };
}

/** The notifications that the browser shows: title, text, and the page that a click opens. */
async function shownOn(page: Page): Promise<unknown[]> {
  return await page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((shown) => shown.map(({ title, body, data }) => [title, body, data.path]))`);
}

/** Runs the click as the browser does: with the notification that is shown. No window can be opened without a user. */
async function click(context: BrowserContext, path: string, url: string): Promise<void> {
  const [worker] = context.serviceWorkers();
  if (worker === undefined) throw new Error("no service worker");
  const opened = await worker.evaluate(`self.registration.getNotifications().then(
    ([notification]) =>
      new Promise((resolve) => {
        self.clients.openWindow = async (href) => resolve(href);
        self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
      }),
  )`);
  expect(opened).toBe(url + path);
}
