// Messages of the script in the page's language; each page contains them as JSON.

let block;
let messages = {};

function read() {
  const found = document.getElementById("words");
  if (found !== block && found !== null) {
    block = found;
    messages = JSON.parse(found.textContent);
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
    const text =
      typeof message === "string" ? message : (message[rules.select(count)] ?? message.other);
    return text.replace("#", shown);
  },
};
