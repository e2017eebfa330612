import { Problem, run, say, tail } from "./run.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const REMEDIES = `Any one of these helps:
  Debian           sudo apt-get update && sudo apt-get install chromium
  Ubuntu           sudo snap install chromium
  Fedora           sudo dnf install chromium
  macOS            brew install --cask chromium
  or set CHROMIUM to the program of a Chromium or Chrome that is installed elsewhere`;

/** How the distribution's Chromium is started; installs it where root may. Throws a Problem with the remedy. */
export async function provideChromium() {
  const { CHROMIUM: named } = process.env;
  if (named) {
    if (await runs(named)) return named;
    throw new Problem(`CHROMIUM is ${named}, which does not run.\n${REMEDIES}`);
  }
  const found = await find();
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || (await run("apt-get", ["--version"])).code !== 0)
    throw new Problem(`no Chromium was found on PATH. ${REMEDIES}`);
  await install();
  const installed = await find();
  if (installed === undefined)
    throw new Problem(`the Chromium of this system's packages does not run. ${REMEDIES}`);
  return installed;
}

async function find() {
  for (const name of NAMES) {
    const { code, output } = await run("sh", ["-c", `command -v ${name}`]);
    const command = output.trim();
    // Ubuntu's package is a script that asks for snap: it is there and does not run.
    if (code === 0 && (await runs(command))) return command;
  }
  return undefined;
}

async function runs(command) {
  return (await run(command, ["--version"])).code === 0;
}

async function install() {
  say("installing Chromium (apt-get install chromium) …");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const packages = ["chromium", "fonts-noto-cjk"];
  const args = ["install", "--yes", "--no-install-recommends", ...packages];
  let { code, output } = await run("apt-get", args, { env });
  if (code !== 0) {
    say("refreshing the package lists (apt-get update) …");
    await run("apt-get", ["update"], { env });
    ({ code, output } = await run("apt-get", args, { env }));
  }
  if (code !== 0) throw new Problem(`apt-get could not install it:\n${tail(output)}\n${REMEDIES}`);
}
