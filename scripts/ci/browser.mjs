/** A person at a browser: keeps cookies, follows no redirect. */
export class Browser {
  #base;
  #cookies = new Map();

  constructor(base) {
    this.#base = base;
  }

  get(path) {
    return this.#request(path, {});
  }

  post(path, fields = {}) {
    return this.send(path, new URLSearchParams(fields));
  }

  /** A form, with files if it has some. */
  send(path, body) {
    return this.#request(path, { method: "POST", body });
  }

  async #request(path, init) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(new URL(path, this.#base), {
      ...init,
      headers: cookie === "" ? {} : { cookie },
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined) this.#cookies.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, text, hasCookie: this.#cookies.size > 0 };
  }
}
