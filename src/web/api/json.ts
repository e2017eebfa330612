declare const serialized: unique symbol;

/** JSON of a value. Larger answers contain it as it is, so that an account or a status is serialized once. */
export type Json = string & { readonly [serialized]: true };

export function toJson(value: unknown): Json {
  return JSON.stringify(value) as Json;
}

export function listOf(items: readonly Json[]): Json {
  return `[${items.join(",")}]` as Json;
}

/** The object with these fields as well; undefined ones are left out. */
export function withFields(object: Json, fields: Readonly<Record<string, Json | undefined>>): Json {
  let json: string = object.slice(0, -1);
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) json += `${json === "{" ? "" : ","}"${name}":${value}`;
  return `${json}}` as Json;
}
