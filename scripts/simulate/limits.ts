import { classNames, limitClasses } from "../../src/domain/limit-classes.ts";
import { limitSettingNames, parseLimit } from "../../src/domain/limits.ts";

/**
 * The limits of the site with windows as much shorter as the day is: 300 tweets in three hours are the same number in
 * three hours of the simulated day. A window is at least a second long; then the points are as many more.
 */
export function limitsAt(pace: number): Record<string, string> {
  const shortened = (text: string) => {
    const { points = 1, seconds = 1 } = parseLimit(text) ?? {};
    const window = Math.max(1, Math.round(seconds / pace));
    return `${Math.max(1, Math.round((points * window * pace) / seconds))}/${window}s`;
  };
  return Object.fromEntries(
    classNames.map((name, nth) => [
      limitSettingNames[nth] ?? "",
      limitClasses[name].limit.split(",").map(shortened).join(","),
    ]),
  );
}
