import * as fc from "fast-check";
import type { Scene } from "./creating-scene.ts";

/** What becomes of a form that is sent with the nonce of another one, and one field changed. */
type Changed = "another" | "refused" | "replaced";

/** A form, or a method of the API, that creates something. */
export interface Door {
  /** Values that start with "$" are those of the scene; an empty one is left out. */
  fields: Record<string, fc.Arbitrary<string>>;
  /** Fields that stay as they are. */
  constant?: Record<string, string>;
  /** A field whose value is a file. */
  file?: string;
  changed: Changed | Record<string, Changed>;
  /** What the same form answers when it is sent again. */
  again?: "refused";
  /** What stands for a parameter of the path. */
  at?: (scene: Scene) => Record<string, string>;
  /** Without a session. */
  stranger?: true;
  count: (scene: Scene) => Promise<number>;
}

const word = fc.stringMatching(/^[a-z]{4,12}$/);
/** Of an account: unlike those of other scenes. */
const freeName = fc.stringMatching(/^[a-z]{4,8}$/).map((text) => `${text}~`);
const flag = fc.constantFrom("true", "false");
const policy = fc.constantFrom("list", "followed", "none");
const picture = fc.constantFrom("$red", "$green", "$blue");
const tweet = fc.constantFrom("$tweet", "$other");
const seconds = fc.constantFrom("3600", "7200");

const tweets = (scene: Scene) => scene.tweets();
const lists = (scene: Scene) => scene.listed("/api/v1/lists");
const filters = (scene: Scene) => scene.listed("/api/v2/filters");
const reports = (scene: Scene) => scene.reports();
const uploads = (scene: Scene) => scene.uploads();
const edits = (scene: Scene) => scene.edits();
const people = (scene: Scene) => scene.accounts();
const tags = (scene: Scene) => scene.listed("/api/v1/followed_tags");

const comment = { comment: word };
const reason = fc.constantFrom("spam", "abuse", "other");
const endpoint = fc.constantFrom("https://push.example.com/one", "https://push.example.com/two");
const media: Door = {
  fields: { file: picture, description: word },
  file: "file",
  changed: "another",
  count: uploads,
};
const subject: Door = { fields: { reason, ...comment }, changed: "replaced", count: reports };
const tag: Door = { fields: {}, changed: "replaced", count: tags };

const worded = { text: word, warning: word, pictures: picture, description_1: word };
const composed = { ...worded, sensitive: fc.constantFrom("on", "") };

/** All that create something for which it matters how often the form is sent. */
export const doors: Record<string, Door> = {
  "POST /tweets": {
    fields: { ...composed, reply_to: tweet },
    file: "pictures",
    changed: "another",
    count: tweets,
  },
  "POST /messages/:people": {
    fields: composed,
    file: "pictures",
    changed: "another",
    at: (scene) => ({ people: scene.people }),
    count: (scene) => scene.messages(),
  },
  "POST /tweets/:id/edit": {
    fields: worded,
    constant: { seen: "0" },
    file: "pictures",
    changed: "refused",
    at: ({ own }) => ({ id: own }),
    count: edits,
  },
  "POST /lists": { fields: { title: word, replies: policy }, changed: "another", count: lists },
  "POST /settings/muted": {
    fields: {
      word,
      duration: fc.constantFrom("1", "7", "ever"),
      action: fc.constantFrom("hide", "warn"),
    },
    changed: { word: "another", duration: "replaced", action: "replaced" },
    count: filters,
  },
  "POST /settings/invitations": {
    fields: {
      uses: fc.constantFrom("1", "2", "3"),
      days: fc.constantFrom("1", "7"),
      note: word,
    },
    changed: "another",
    count: (scene) => scene.invitations(),
  },
  "POST /tweets/:id/report": { ...subject, at: ({ tweet: id }) => ({ id }) },
  "POST /@:name/report": { ...subject, at: ({ otherName: name }) => ({ name }) },
  "POST /tags/:tag/follow": { ...tag, at: () => ({ tag: "birds" }) },
  "POST /settings/push": {
    fields: { endpoint, policy: fc.constantFrom("all", "followed") },
    constant: { p256dh: "$p256dh", auth: "$auth", alerts: "mention" },
    changed: "replaced",
    count: (scene) => scene.devices(),
  },
  "POST /signup": {
    fields: { name: freeName, fullname: word, password: word.map((text) => `${text} 4 horses`) },
    changed: { name: "another", fullname: "refused", password: "refused" },
    again: "refused",
    stranger: true,
    count: people,
  },
  "POST /api/v1/accounts": {
    fields: { username: freeName, password: word.map((text) => `${text} 4 horses`) },
    constant: { agreement: "true", email: "bird@example.com" },
    changed: { username: "another", password: "refused" },
    again: "refused",
    stranger: true,
    count: people,
  },
  "POST /api/v1/statuses": {
    fields: {
      status: word,
      spoiler_text: word,
      language: fc.constantFrom("en", "ja"),
      sensitive: flag,
      in_reply_to_id: fc.constantFrom("$status", "$otherStatus"),
      quote_id: fc.constantFrom("$status", "$otherStatus"),
    },
    changed: "another",
    count: tweets,
  },
  "PUT /api/v1/statuses/:id": {
    fields: { status: word, spoiler_text: word, language: fc.constantFrom("en", "ja") },
    changed: "another",
    at: ({ ownStatus: id }) => ({ id }),
    count: edits,
  },
  "POST /api/v1/media": media,
  "POST /api/v2/media": media,
  "POST /api/v1/lists": {
    fields: { title: word, replies_policy: policy },
    changed: "another",
    count: lists,
  },
  "POST /api/v1/filters": {
    fields: { phrase: word, whole_word: flag, irreversible: flag, expires_in: seconds },
    constant: { "context[]": "home" },
    changed: "another",
    count: filters,
  },
  "POST /api/v2/filters": {
    fields: { title: word, expires_in: seconds, "keywords_attributes[0][keyword]": word },
    constant: { "context[]": "home" },
    changed: "another",
    count: filters,
  },
  "POST /api/v2/filters/:id/keywords": {
    fields: { keyword: word, whole_word: flag },
    changed: "another",
    at: ({ filter: id }) => ({ id }),
    count: (scene) => scene.listed(`/api/v2/filters/${scene.filter}/keywords`),
  },
  "POST /api/v1/reports": {
    fields: { category: fc.constantFrom("spam", "other"), ...comment },
    constant: { account_id: "$otherAccount" },
    changed: "replaced",
    count: reports,
  },
  "POST /api/v1/tags/:tag/follow": { ...tag, at: () => ({ tag: "birds" }) },
  "POST /api/v1/push/subscription": {
    fields: { "subscription[endpoint]": endpoint },
    constant: {
      "subscription[keys][p256dh]": "$p256dh",
      "subscription[keys][auth]": "$auth",
    },
    changed: "replaced",
    count: (scene) => scene.devices(),
  },
};

/** Why the other forms may be sent twice without harm. */
export const harmless: [why: string, ...doors: RegExp[]][] = [
  [
    "it takes something away, or refuses what is gone",
    /\/(un(follow|favourite|reblog|bookmark|pin|mute|block|like|retweet|notify))$/,
    /\/(remove|revoke|delete|dismiss|clear|remove_from_followers|remove-follower|decline|reject)$/,
    /^POST \/(logout|announcement|unsubscribe\/:token|settings\/(sessions|apps)|admin\/invitations)$/,
  ],
  [
    "it adds a member to a set, or sets an option of one",
    /\/(follow|favourite|reblog|bookmark|pin|mute|block|like|retweet|notify|hide-retweets|show-retweets|authorize)$/,
    /^POST (\/lists\/:id\/members|\/api\/v1\/lists\/:id\/accounts|\/@:name\/(lists|accept))$/,
  ],
  ["a user votes once: another vote is refused", /\/votes?$/],
  [
    "it sets what is there already",
    /^(PUT|PATCH) \/api\//,
    /^POST (\/messages\/(new|:people\/(accept|leave))|\/api\/v1\/conversations\/:id\/read)$/,
    /^POST (\/api\/v1\/markers|\/home\/read|\/language|\/start|\/lists\/:id\/edit)$/,
    /^POST \/settings\/(profile|avatar|header|account|privacy|old-tweets|theme|push\/choice|account\/(mail|mail\/digest|recovery)|data\/count)$/,
    /^POST \/admin\/site(\/logo)?$/,
  ],
  [
    "the audit log claims its `act`, and the rest sets a state",
    /^POST \/admin\/(reports|suspended|people\/:name|blocks|requests|reset|queues\/:queue)$/,
  ],
  [
    "a code, a challenge or a link is used once, or a session is opened anew",
    /^POST \/(login(\/code|\/passkey)?|prove|passkeys\/options|reset\/:token|confirm\/:token|forgot\/(code|mail))$/,
    /^POST \/(oauth\/(token|authorize)|settings\/security\/(passkeys|totp|totp\/start))$/,
  ],
  ["a draft is made and sent once, by a nonce", /^POST \/drafts(\/time-zone|\/:id(\/send)?)?$/],
  ["an import replaces the last, and writes each tweet once", /^POST \/settings\/data(\/import)?$/],
  ["an app that no user allows ends after two days", /^POST \/api\/v1\/apps$/],
];
