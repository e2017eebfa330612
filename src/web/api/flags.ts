/** A yes among the parameters of a query: as text it comes in several spellings. */
export function isYes(raw: unknown): boolean {
  return typeof raw === "string" && /^(true|1|t|on|yes)$/i.test(raw);
}
