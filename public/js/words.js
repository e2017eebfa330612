// Messages of the script in the page's language; each page contains them as JSON.

let text;
let messages = {};

/** A morph changes the text of the same element. */
function read() {
  const shown = document.getElementById("words")?.textContent;
  if (shown && shown !== text) {
    text = shown;
    messages = JSON.parse(text);
  }
  return messages;
}

export const words = {
  get language() {
    return document.documentElement.lang;
  },

  /** `count` chooses the plural form, `shown` is the formatted number. */
  t(key, { count = 0, shown = String(count) } = {}) {
    const message = read()[key] ?? key;
    const rules = new Intl.PluralRules(this.language);
    const form =
      typeof message === "string" ? message : (message[rules.select(count)] ?? message.other);
    return form.replace("#", shown);
  },
};
