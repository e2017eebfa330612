const formats = new Map<string, { grouped: Intl.NumberFormat; short: Intl.NumberFormat }>();

/** "9,999", "1.2M"; in Japanese "9,999", "120万". */
export function presentNumber(value: number, language: string): string {
  const { grouped, short } = formatsOf(language);
  return (value < 10_000 ? grouped : short).format(value);
}

function formatsOf(language: string) {
  const known = formats.get(language);
  if (known !== undefined) return known;
  const made = {
    grouped: new Intl.NumberFormat(language),
    short: new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }),
  };
  formats.set(language, made);
  return made;
}
