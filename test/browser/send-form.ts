import type { Page } from "playwright-core";

/** Sends a form of the page as if typed, without the browser's own validation. */
export async function sendForm(
  page: Page,
  action: string,
  values: Record<string, string>,
): Promise<void> {
  const form = `form[action=${JSON.stringify(action)}]`;
  const answered = page.waitForResponse((answer) => {
    const asked = answer.request();
    return asked.method() === "POST" && new URL(asked.url()).pathname === action;
  });
  await page.evaluate(`{
    const form = document.querySelector(${JSON.stringify(form)});
    form.noValidate = true;
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) form.elements.namedItem(name).value = value;
    form.requestSubmit(form.querySelector("[type=submit]"));
  }`);
  await (await answered).finished();
  // What would run, runs as soon as the answer is drawn.
  await page.waitForTimeout(40);
}
