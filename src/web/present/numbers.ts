const grouped = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** "9,999", "1.2M". */
export function presentNumber(value: number): string {
  return (value < 10_000 ? grouped : short).format(value);
}
