import type { BrowserContext, Page } from "playwright-core";

/** A page that is watched: nothing that goes wrong on it is lost. */
export interface Window {
  page: Page;
  context: BrowserContext;
  /** What the console told of as an error, exceptions, and dialogs, which nobody should open. */
  troubles: string[];
  close(): Promise<void>;
}

/** A refused form, a request that makes no sense and a page that is missing are no troubles; Chromium tells of both. */
const expected = /the server responded with a status of (400|403|404|422) /;

export async function openWindow(context: BrowserContext): Promise<Window> {
  const page = await context.newPage();
  const troubles: string[] = [];
  const note = (what: string) => void troubles.push(`${page.url()}: ${what}`);
  page.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.text())) note(message.text());
  });
  page.on("pageerror", (error) => note(String(error)));
  page.on("dialog", (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, troubles, close: () => context.close() };
}
