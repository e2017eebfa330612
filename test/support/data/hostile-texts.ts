/** Texts that change HTML, XML or CDATA where they are not escaped. */
export const hostileTexts = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  `]]><evil/>]]><evil/><![CDATA[`,
  `&lt;script&gt; &amp;lt; &#60;b&#62; &nbsp; &bogus;`,
  `<!ENTITY x SYSTEM "file:///etc/passwd"> &x;`,
  `--><evil/><!-- <?xml version="2"?>`,
  `javascript:alert(1) https://example.org/"onclick="alert(1)`,
  `https://example.org/?a=1&b=<c>]]>`,
  `\uFFFE\uFFFF control \u0001 \u{1F426} 雀`,
];
