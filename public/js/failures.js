// A form that could not be sent leaves the page as it is: a message beside its text says so, or a toast.
import { navigator } from "@hotwired/turbo";
import { toast } from "./announce.js";
import { element } from "./dom.js";
import { words } from "./words.js";

/** Max milliseconds for an answer. Files have no limit. */
const patience = 15_000;
/** Milliseconds after which a button says that its form is being sent. */
const late = 1000;
const fields = "textarea, select, input:not([type=hidden])";
/** Fields with words of the user. */
const texts = "textarea, input:not([type=hidden], [type=radio], [type=checkbox])";

/** Paths of buttons beside which nothing is typed. */
const press = /\/((un)?(like|retweet|bookmark|follow|delete)|vote)$/;

/** Whether the answer is the log-in page, as the session has ended: then nothing was done. */
const isLoggedOut = ({ redirected, location: { pathname, searchParams } }) =>
  redirected && pathname === "/login" && searchParams.has("next");

const isWriting = (form) => form.matches?.('form[method="post"]');

document.addEventListener("turbo:before-fetch-request", ({ target, detail: { fetchOptions } }) => {
  const { body } = fetchOptions;
  // A button may make a form a GET, which has no body.
  if (!isWriting(target) || !body || [...body].some(([, value]) => value.size > 0)) return;
  const signals = [AbortSignal.timeout(patience)];
  // Turbo gives up what is under way when another form is sent, and browsers when a page ends. A press counts all the same.
  if (target.querySelector(fields) === null) fetchOptions.keepalive = true;
  else signals.push(fetchOptions.signal);
  fetchOptions.signal = AbortSignal.any(signals);
});

// Turbo stops what is under way when another form is sent. A press does not stop a text, and leaves its answer the page.
const submit = navigator.submitForm.bind(navigator);
navigator.submitForm = (form, button) => {
  const { formSubmission } = navigator;
  const isSpared =
    press.test(button?.getAttribute("formaction") ?? form.action) &&
    formSubmission?.state === "waiting" &&
    formSubmission.formElement.querySelector(fields) !== null;
  if (isSpared) delete navigator.formSubmission;
  submit(form, button);
  if (isSpared) navigator.formSubmission = formSubmission;
};

document.addEventListener("turbo:submit-start", ({ target, detail }) => {
  target.querySelector(".unsent")?.remove();
  const button = detail.formSubmission.submitter;
  if (!button?.matches(".composer > button")) return;
  const label = button.textContent;
  const timer = setTimeout(() => (button.textContent = words.t("script.sending")), late);
  const restore = () => {
    clearTimeout(timer);
    button.textContent = label;
  };
  target.addEventListener("turbo:submit-end", restore, { once: true });
});

document.addEventListener("turbo:fetch-request-error", ({ target }) => {
  if (isWriting(target)) tell(target);
});

// Turbo takes any page for a success. Others hear it after this.
document.addEventListener(
  "turbo:submit-end",
  ({ detail }) => {
    if (detail.success && isLoggedOut(detail.fetchResponse)) detail.success = false;
  },
  true,
);

document.addEventListener("turbo:before-fetch-response", (event) => {
  const { target } = event;
  const { fetchResponse: answer } = event.detail;
  const { statusCode, redirected, location } = answer;
  if (statusCode >= 400) keepHead(answer);
  if (!isWriting(target)) return;
  // A composer has a draft, which is there after the log-in.
  if (isLoggedOut(answer) && !target.dataset.draft && target.querySelector(texts) !== null) {
    event.preventDefault();
    const link = { href: location.href, target: "_blank" };
    tell(target, element("a", link, words.t("script.loggedOut")));
  }
  if (redirected || statusCode < 400) return;
  const isOutage = statusCode >= 500;
  // Other refusals are pages: with the form as it was typed, or one that asks for a proof first.
  const isPress = press.test(location.pathname) && target.querySelector(texts) === null;
  if (!isOutage && ![413, 429].includes(statusCode) && !isPress) return;
  event.preventDefault();
  if (isOutage) tell(target);
  else void answer.responseHTML.then((html) => tell(target, reasonIn(html)));
});

// A morph leaves the focus where it is. Without the script the first refused field takes it.
document.addEventListener("turbo:render", ({ detail }) => {
  // A page after a redirect may show an older error.
  if (detail.renderMethod !== "morph" || navigator.currentVisit) return;
  document.querySelector("main .form-error")?.scrollIntoView();
  // Focusing scrolls to the field, too.
  document.querySelector("main [autofocus]")?.focus();
});

/**
 * Gives a page of another version of the site the styles and the script that run here: else Turbo would load a refused
 * form anew, empty, and run the script of an error page beside this one.
 */
function keepHead(answer) {
  const own = [...document.querySelectorAll("[data-turbo-track]")].map((one) => one.outerHTML);
  const value = answer.responseHTML.then((html) =>
    html?.replace(/<[^>]+turbo-track="[^>]+>(<\/script>)?/g, () => own.splice(0).join("")),
  );
  Object.defineProperty(answer, "responseHTML", { value });
}

/** What the server's page says about its refusal. */
function reasonIn(html = "") {
  const page = new DOMParser().parseFromString(html, "text/html");
  return page.querySelector(".form-error, .field-error, .error-page h1 + p")?.textContent;
}

function tell(form, reason) {
  const shortText = reason ?? words.t("script.failed");
  if (!form.isConnected || form.querySelector(fields) === null) {
    toast(shortText);
    return;
  }
  const fullText = reason
    ? [reason, element("br"), words.t("script.kept")]
    : [words.t("script.notSent")];
  const content = form.querySelector(texts) === null ? [shortText] : fullText;
  const message = element("p", { className: "form-error unsent", role: "alert" }, ...content);
  message.dataset.turboTemporary = "";
  form.querySelector(".unsent")?.remove();
  const button = form.querySelector("button:not([type=button])");
  (button.closest("p") ?? button).before(message);
}
