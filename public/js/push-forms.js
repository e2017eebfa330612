// The page of pushes: [data-push] has the site's key. The browser's address for pushes goes into the form, and the
// form is sent like any other.
import { element, onPage } from "./dom.js";

const worker = "/service-worker.js";

onPage(enhance);
// Turbo may have shown the page before this script was there.
enhance();

function enhance() {
  const form = document.querySelector("form[data-push]");
  if (form === null || !isPossible()) return;
  form.hidden = false;
  for (const note of document.querySelectorAll("[data-no-push]")) note.hidden = true;
}

function isPossible() {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset?.pushOff !== undefined) void unsubscribe();
  if (form.dataset?.push === undefined || form.dataset.answered !== undefined) return;
  event.preventDefault();
  void turnOn(form);
});

async function turnOn(form) {
  try {
    if ((await Notification.requestPermission()) !== "granted") {
      tell(form, form.dataset.denied);
      return;
    }
    const { endpoint, keys } = (await subscribe(form.dataset.push)).toJSON();
    const values = { endpoint, ...keys };
    for (const field of form.querySelectorAll('input[type="hidden"]'))
      field.value = values[field.name];
    form.dataset.answered = "";
    form.requestSubmit();
    delete form.dataset.answered;
  } catch {
    tell(form, form.dataset.failed);
  }
}

/** One that was made with another key of the site is of no use. */
async function subscribe(applicationServerKey) {
  await navigator.serviceWorker.register(worker);
  const { pushManager } = await navigator.serviceWorker.ready;
  const wish = { userVisibleOnly: true, applicationServerKey };
  try {
    return await pushManager.subscribe(wish);
  } catch (error) {
    if (error.name !== "InvalidStateError") throw error;
    await unsubscribe();
    return await pushManager.subscribe(wish);
  }
}

/** The site forgets the address anyway. */
async function unsubscribe() {
  const registration = await navigator.serviceWorker?.getRegistration(worker);
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

function tell(form, sentence) {
  const told = form.querySelector(".field-error") ?? element("p", { className: "field-error" });
  told.setAttribute("role", "alert");
  told.textContent = sentence;
  form.append(told);
}
