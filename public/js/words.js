// All that the script says by itself, in the language of the page: the page has it in a block of JSON.

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

  /** With a number in it: `count` decides between one and many, `shown` is how it is written. */
  t(key, { count = 0, shown = String(count) } = {}) {
    const message = read()[key] ?? key;
    const rules = new Intl.PluralRules(this.language);
    const text =
      typeof message === "string" ? message : (message[rules.select(count)] ?? message.other);
    return text.replace("#", shown);
  },
};
