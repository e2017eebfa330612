import type { Page } from "playwright-core";
import { password } from "../support/actors/visitor.ts";

/** Fills the form of a sign-up, on the page that is open if it is one. The next page offers recovery codes. */
export async function signUp(page: Page, name: string, button = "Sign up"): Promise<void> {
  if (!page.url().includes("/signup")) await page.goto("/signup");
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Name", { exact: true }).fill(`Bird ${name}`);
  await page.getByLabel("Password").fill(password);
  const rules = page.getByLabel("I accept the rules");
  if ((await rules.count()) > 0) await rules.check();
  await page.getByRole("main").getByRole("button", { name: button }).click();
}

export async function logIn(page: Page, name: string, pass = password): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Password").fill(pass);
  await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
}

export async function logOut(page: Page): Promise<void> {
  await page.locator(".account summary").click();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("link", { name: "Log in" }).first().waitFor();
}
