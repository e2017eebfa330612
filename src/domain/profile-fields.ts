/** A text that users tell about themselves. */
interface Row {
  /** How it is cleaned and shown. */
  kind: "line" | "text" | "link";
  /** Max graphemes. */
  limit: number;
  /** The problem of a text that shows nothing; without it the field may be empty. */
  blank?: "fullname.empty";
  malformed?: "website.format";
  /** Name in the API's update_credentials, if apps know such a field. */
  api?: string;
}

/**
 * The texts of a profile, in the order of the form. The name is that of the property of a user, of the field in their
 * hash, in the form and in the export, and of its messages: `settings.NAME`, `settings.NAMEHint`, `problem.NAME.long`.
 */
export const profileFields = rows({
  fullname: { kind: "line", limit: 50, blank: "fullname.empty", api: "display_name" },
  bio: { kind: "text", limit: 160, api: "note" },
  website: { kind: "link", limit: 100, malformed: "website.format", api: "fields_attributes" },
});

function rows<Name extends string>(table: Readonly<Record<Name, Row>>) {
  return table;
}

export type ProfileField = keyof typeof profileFields;
export type Profile = Record<ProfileField, string>;
export type ProfileProblem = `${ProfileField}.long` | "fullname.empty" | "website.format";

export const profileNames = Object.keys(profileFields) as ProfileField[];
/** What users tell beside their names. */
export const factFields = profileNames.filter((name) => name !== "fullname");

/** A record with a value for each field. */
export function mapFields<Value>(valueOf: (name: ProfileField) => Value) {
  const pairs = profileNames.map((name) => [name, valueOf(name)] as const);
  return Object.fromEntries(pairs) as Record<ProfileField, Value>;
}
