// Forms with a passkey: [data-passkey] says what it is asked for. The browser's answer goes into the form, and
// the form is sent like any other.
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import { element, onPage } from "./dom.js";

/** Milliseconds after which a waiting offer is made again, with a new challenge: the site keeps one for 5 minutes. */
const offerFor = 4 * 60 * 1000;

let offered;
let renewal;
let asked;

onPage(enhance);
// Turbo may have shown the page before this script was there.
enhance();

function enhance() {
  const form = document.querySelector('form[data-passkey="log-in"]');
  if (form !== offered) withdraw();
  if (!browserSupportsWebAuthn()) return;
  for (const one of document.querySelectorAll("form[data-passkey]")) one.hidden = false;
  const isPossible = document.querySelector("form[data-passkey]") !== null;
  for (const note of document.querySelectorAll("[data-no-passkey]")) note.hidden = isPossible;
  if (form !== null && form !== offered) void offer(form);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset?.passkey === undefined || form.dataset.answered !== undefined) return;
  event.preventDefault();
  void ask(form);
});

/** Lets the browser offer passkeys in the field for the name, while the page is open. */
async function offer(form) {
  offered = form;
  const field = document.querySelector('main input[autocomplete^="username"]');
  if (field === null) return;
  // Browsers offer passkeys in such a field only.
  field.autocomplete = "username webauthn";
  if (!(await browserSupportsWebAuthnAutofill()) || offered !== form) return;
  try {
    const optionsJSON = await readOptions("log-in");
    if (optionsJSON === undefined || offered !== form) return;
    renewal = setTimeout(() => whenSeen(() => offered === form && offer(form)), offerFor);
    const answer = await startAuthentication({ optionsJSON, useBrowserAutofill: true });
    if (offered === form && asked === undefined) send(form, answer);
  } catch {
    // Cancelled, or replaced by a press of the button.
  }
}

function withdraw() {
  if (offered === undefined) return;
  offered = undefined;
  clearTimeout(renewal);
  WebAuthnAbortService.cancelCeremony();
}

function whenSeen(act) {
  if (!document.hidden) act();
  else document.addEventListener("visibilitychange", () => whenSeen(act), { once: true });
}

async function ask(form) {
  // A second press changes nothing: the browser is asking already.
  if (asked === form) return;
  asked = form;
  clearTimeout(renewal);
  try {
    const optionsJSON = await readOptions(form.dataset.passkey);
    const start = form.dataset.passkey === "add" ? startRegistration : startAuthentication;
    // Not confirmed any more, or too often: the site answers the form with a page that says so.
    send(form, optionsJSON && (await start({ optionsJSON })));
  } catch {
    tell(form);
    if (form === offered) void offer(form);
  } finally {
    asked = undefined;
  }
}

/** Undefined if the site refuses. */
async function readOptions(act) {
  try {
    const answer = await fetch("/passkeys/options", {
      method: "POST",
      body: new URLSearchParams({ act }),
      headers: { Accept: "application/json" },
    });
    return answer.ok && !answer.redirected ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

function send(form, answer) {
  if (answer !== undefined)
    form.querySelector('input[type="hidden"][data-answer]').value = JSON.stringify(answer);
  form.dataset.answered = "";
  form.requestSubmit();
  delete form.dataset.answered;
}

function tell(form) {
  const told = form.querySelector(".field-error") ?? element("p", { className: "field-error" });
  told.setAttribute("role", "alert");
  told.textContent = form.dataset.failed;
  form.append(told);
}
