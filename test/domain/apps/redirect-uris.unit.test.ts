import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRedirectUri, redirectProblem } from "../../../src/domain/apps/store.ts";

describe("a redirect URI", () => {
  it.each([
    "https://app.example",
    "https://app.example/callback?from=here",
    "http://localhost:3000/callback",
    "http://127.0.0.1:8080",
    "http://[::1]:8080/callback",
    "urn:ietf:wg:oauth:2.0:oob",
    "myapp://callback",
    "com.example.app:/callback",
    "mastodon+app://oauth",
    "icecubesapp://",
    "mastodon://joinmastodon.org/oauth",
    "megalodon-android-auth://callback",
    "com.example.app://oauth?from=here",
  ])("a redirect URI may be %s", (uri) => {
    expect(isRedirectUri(uri)).toBe(true);
  });

  it.each([
    "",
    "/callback",
    "//app.example/",
    "app.example/callback",
    "https://",
    "https:///path",
    "https:app.example",
    "https://app.example/#fragment",
    "https://name:password@app.example/",
    "https://app.example\\@evil.example/",
    'https://app.example/"onclick="alert(1)',
    "https://app.example/<script>",
    "https://雀.example/",
    "https://app.example;script-src.example/",
    "https://'self',app.example/",
    "https://*.example/",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "javascript://app.example/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "blob:https://app.example/1",
    "file:///etc/passwd",
    "filesystem:https://app.example/x",
    "view-source:https://app.example/",
    "about:blank",
    "myapp:",
    "1app://callback",
    `https://app.example/${"a".repeat(2000)}`,
    "feed:javascript:alert(1)",
    "jar:https://app.example/!/",
    "mailto:somebody@app.example",
    "smb://app.example/share",
    "ms-msdt:/id PCWDiagnostic".replace(" ", "%20"),
    "ms-msdt://id",
    "search-ms:query=a",
    "search-ms://query=a",
    "chrome-extension://abcdefghijklmnop/page.html",
    "moz-extension://abcdefghijklmnop/page.html",
    "safari-web-extension://abcdefghijklmnop/page.html",
    "res://ieframe.dll/navcancl.htm",
    "ms-appinstaller:?source=https://app.example",
    "ms-settings://x",
    "x-apple.systempreferences:com.apple.preference",
    "vscode://file/etc/passwd",
    "shortcuts://run-shortcut",
    "urn:ietf:wg:oauth:2.0:other",
    "onenote://https://app.example/notes",
    "onenote-cmd://open",
    "calculator://",
    "x-web-search://?query=a",
    "myapp://callback?run=calc",
    "myapp://host:80/callback",
    "myapp://name@host/",
    "myapp://host/%2e%2e/",
    "myapp:/callback",
    "http://app.example/callback",
    "http://localhost.app.example/",
  ])("a redirect URI may not be %s", (uri) => {
    expect(isRedirectUri(uri)).toBe(false);
  });

  it("a redirect URI is no script, whatever characters a browser would drop from its scheme", () => {
    const dropped = fc.constantFrom("\t", "\n", "\r", " ", "\0", "\u0001", "\u00A0", "");
    fc.assert(
      fc.property(
        fc.constantFrom("javascript:alert(1)", "data:text/html,x", "vbscript:x", "blob:x"),
        fc.nat(12),
        dropped,
        fc.boolean(),
        (script, at, between, upper) => {
          const text = script.slice(0, at) + between + script.slice(at);
          expect(isRedirectUri(upper ? text.toUpperCase() : text)).toBe(false);
        },
      ),
    );
  });

  it("a header and a browser read a redirect URI as the same address", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (uri) => {
        fc.pre(isRedirectUri(uri));
        expect(new URL(uri).protocol).toMatch(/^https?:$/);
        expect(uri).toMatch(/^[\u0021-\u007E]+$/);
      }),
    );
  });

  it("an app has between one and twenty redirect URIs", () => {
    expect(redirectProblem([])).toBe("redirect.missing");
    expect(redirectProblem(Array.from({ length: 21 }, () => "app://x"))).toBe("redirect.many");
    expect(redirectProblem(["app://x", "javascript:x"])).toBe("redirect.format");
    expect(redirectProblem(["app://x", "https://app.example/"])).toBeUndefined();
  });
});
