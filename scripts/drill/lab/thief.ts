import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "./browser.ts";

/** The same session elsewhere. It may end at any time. */
export function thief(browser: Browser, owner: Browser): Browser {
  browser.adopt(owner);
  browser.viewer = undefined;
  return browser;
}

export async function isIn(browser: Browser): Promise<boolean> {
  return (await browser.get("/settings/account")).status === 200;
}

/** Tried again where it had to wait too long for its turn. */
export async function enters(browser: Browser, name: string, word: string): Promise<boolean> {
  for (let tries = 0; tries < 5; tries += 1) {
    const { status } = await browser.post("/login", { name, password: word });
    if (status === 303) return true;
    if (status === 422) return false;
    await sleep(1000);
  }
  return false;
}
