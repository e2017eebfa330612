import type { BrowserContext, Page } from "playwright-core";

/** A page whose errors are recorded. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** Errors in the console, exceptions and dialogs. */
  problems: string[];
  close(): Promise<void>;
}

/** Chromium reports these answers as errors; tests ask for them on purpose. */
const expected = /the server responded with a status of (400|403|404|422) /;

export async function watchPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const problems: string[] = [];
  const note = (what: string) => void problems.push(`${page.url()}: ${what}`);
  page.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.text())) note(message.text());
  });
  page.on("pageerror", (error) => note(String(error)));
  page.on("dialog", (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, problems, close: () => context.close() };
}
