import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { type Key, readLanguages, type Translator } from "../../src/web/languages/translator.ts";
import type { WatchedPage } from "../support/actors/watched-page.ts";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import type { BrowserSite } from "../support/world/browser-site.ts";

/** The user of a journey, and the browser that it is made in. */
interface ReaderOptions {
  name: string;
  how: string;
  browser: BrowserContextOptions;
}

export const readers: readonly ReaderOptions[] = [
  {
    name: "ann",
    how: "with JavaScript, in English",
    // Colours that are still changing would fail the check of contrast.
    browser: { locale: "en-GB", reducedMotion: "reduce" },
  },
  {
    name: "haru",
    how: "without JavaScript, in Japanese, on a phone",
    browser: {
      locale: "ja-JP",
      javaScriptEnabled: false,
      viewport: { width: 360, height: 780 },
      hasTouch: true,
      isMobile: true,
    },
  },
];

/** In the page: pairs of buttons and hints that cover each other. */
const covered = `(() => {
  const shown = [...document.querySelectorAll("main .button, main .field-hint")];
  const boxes = shown.filter((one) => one.checkVisibility()).map((one) => [one.textContent, one.getBoundingClientRect()]);
  return boxes.flatMap(([one, box], nth) =>
    boxes
      .slice(nth + 1)
      .filter(([, { left, right, top, bottom }]) => box.left < right && left < box.right && box.top < bottom && top < box.bottom)
      .map(([other]) => [one, other]),
  );
})()`;

/** Uses pages by the words of a language. */
export class Reader {
  readonly page: Page;
  readonly words: Translator;
  readonly #watched: WatchedPage;
  readonly #hasScript: boolean;

  private constructor(watched: WatchedPage, { locale = "", javaScriptEnabled = true }) {
    this.#watched = watched;
    this.page = watched.page;
    this.words = readLanguages().words(locale.slice(0, 2));
    this.#hasScript = javaScriptEnabled;
  }

  static async open(site: BrowserSite, { name, browser }: ReaderOptions): Promise<Reader> {
    return new Reader(await site.openPage(name, browser), browser);
  }

  async press(label: Key): Promise<void> {
    const name = this.words.t(label);
    await this.page.getByRole("button", { name, exact: true }).first().click();
  }

  /** Sends the composer. A page that is left before the answer may send nothing. */
  async tweets(text: string): Promise<void> {
    await this.press("compose.tweetSend");
    await this.page.getByRole("article").filter({ hasText: text }).first().waitFor();
  }

  /** Waits for a message on the page that is open. */
  async reads(message: Key, values: Record<string, string | number> = {}): Promise<void> {
    await this.page.getByText(this.words.t(message, values)).first().waitFor();
  }

  /** Loads a page until it has a text that a worker brings about. */
  async finds(text: string, path: string): Promise<void> {
    await expect
      .poll(async () => {
        await this.page.goto(path);
        return await this.page.getByRole("main").innerText();
      })
      .toContain(text);
  }

  /** The open page fits its screen, and no check of it finds anything. */
  async looks(): Promise<void> {
    const { page } = this;
    const isTooWide = "document.documentElement.scrollWidth > innerWidth";
    expect([page.url(), await page.evaluate(isTooWide)]).toEqual([page.url(), false]);
    expect(await page.evaluate(covered)).toEqual([]);
    if (this.#hasScript) {
      const size = page.viewportSize();
      expect(await findAccessibilityProblems(page, page.url())).toEqual([]);
      if (size !== null) await page.setViewportSize(size);
    }
    expect(this.#watched.problems).toEqual([]);
  }

  async close(): Promise<void> {
    await this.#watched.close();
  }
}
