const form = "application/x-www-form-urlencoded";
const pageFields =
  `name fullname password next text reply_to nonce bio website avatar session current_password
  new_password word duration reason comment subject verb note file language client_name
  redirect_uris scopes client_id client_secret response_type redirect_uri scope state code_challenge
  code_challenge_method decision grant_type code code_verifier token app passkey confirm_password
  confirm_code confirm_passkey`.split(/\s+/);
const apiFields =
  `status in_reply_to_id visibility spoiler_text sensitive language scheduled_at media_ids poll
  display_name note fields_attributes locked username password email agreement locale duration
  notifications home last_read_id id acct q type types exclude_types account_id timeline
  client_name redirect_uris scopes website limit offset`.split(/\s+/);

/** Those of both, as the doors of apps and those of pages share a few. */
const fields = [...new Set([...pageFields, ...apiFields])];
const withAll = (value: string) => fields.map((field) => `${field}=${value}`).join("&");
const json = (value: (field: string, nth: number) => unknown) =>
  JSON.stringify(Object.fromEntries(fields.map((field, nth) => [field, value(field, nth)])));
const pollution =
  "__proto__[x]=1&__proto__=1&__proto__.x=1&constructor[prototype][x]=1&constructor=1&toString=1";

/** Bodies of requests: [what, content type, body]. */
export const bodies: [string, string | undefined, string | undefined][] = [
  ["nothing", undefined, undefined],
  ["an empty form", form, ""],
  ["prototype pollution", form, pollution],
  ["prototype pollution in a whole form", form, `${withAll("abcdefgh1")}&${pollution}`],
  ["repeated fields", form, `${withAll("a")}&${withAll("b")}`],
  ["lists", form, fields.map((field) => `${field}[]=a&${field}[]=b`).join("&")],
  ["objects", form, fields.map((field) => `${field}[$ne]=a&${field}[length]=9`).join("&")],
  ["NUL", form, withAll("a%00b")],
  ["lone surrogates", form, withAll("%ED%A0%80%ED%BF%BF")],
  ["malformed escapes", form, withAll("%E0%A4%A%zz%")],
  ["control characters", form, withAll("%0D%0AX-Injected:%201%1B%7F%E2%80%AE")],
  ["paths and keys", form, withAll("..%2F..%2Fetc%2Fpasswd*%3A%7B%7D")],
  ["long text", form, `text=${"a".repeat(9000)}&name=${"b".repeat(9000)}&bio=${"c".repeat(9000)}`],
  ["only separators", form, "&=&==&&=a&b"],
  ["nearly 100 kB", form, `text=${"%F0%9F%90%A6".repeat(8000)}`],
  ["JSON", "application/json", JSON.stringify({ name: { $gt: "" }, text: ["a"], __proto__: 1 })],
  ["JSON of texts", "application/json", json((field) => `${field} \u0000\u202E`)],
  ["JSON of numbers", "application/json", json((_, nth) => (nth % 2 === 0 ? -1e308 : 0.5))],
  ["JSON of lists", "application/json", json(() => [null, [[]], {}, "a"])],
  ["JSON of objects", "application/json", json(() => ({ $gt: "", length: 9, toString: 1 }))],
  ["JSON that is no object", "application/json", "[[[[1]]]]"],
  ["deep JSON", "application/json", `{"status":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ["malformed JSON", "application/json", '{"name":'],
  ["plain text", "text/plain", withAll("a")],
  ["XML", "application/xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ["parts that never end", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form"],
  ["an unknown character set", `${form}; charset=x-unknown`, withAll("a")],
  ["a content type that is none", "x;;;=,", withAll("a")],
];

export const queries = [
  "before=-1",
  "before=NaN",
  "before=1e999",
  "before=99999999999999999999999",
  "before=9007199254740991",
  "before=0",
  "before=1&before=2",
  "after=99999999999999999999&start=99999999999999999999",
  "after=0&start=-1",
  "before[]=1&before[$gt]=",
  "before=%00",
  "before=%E0%A4%A",
  "next=//evil.example&next[]=x&name=%00&saved[]=1",
  pollution,
  `q=${"a".repeat(7000)}`,
  `q=${"%E9%9B%80".repeat(700)}&in=following&people[]=1`,
  "q=from:__proto__%20%00%20%23constructor&in=mine&in=following",
  "q=%ED%A0%80&people&after=%00%E0%A4%A",
  "q=a&people=1&after=a%20x",
  "max_id=0&since_id=-1&min_id=99999999999999999999999999999999999999&limit=1e9",
  "max_id=abc&min_id[]=1&limit=-5&offset=1e300&types[]=&types[]=__proto__&id[]=%00&id[]=1",
  "q=https://127.0.0.1/tweets/0&type=__proto__&resolve=maybe&offset=-1",
  `acct=@a@@b&tag=%23&q=%00&id=${"9".repeat(300)}&access_token=%00`,
  "%",
];

export const parameters = [
  ..."0 -1 1e3 NaN 1.5 0x1 999999999999999 00001 __proto__ constructor hasOwnProperty".split(" "),
  ..."* %2A user:1 %00 1%00 %ED%A0%80 %E0%A4%A % %zz %2e%2e%2f%2e%2e%2fetc %C0%AF".split(" "),
  ..."%E9%9B%80 %0d%0aX-Injected:%201 %3Cscript%3E .. name.json %5C a%2Fb".split(" "),
  "9".repeat(400),
  "a".repeat(6000),
];
