/** Passes a call on, then ignores calls for `milliseconds`: one line about a thousand alike errors. */
export function throttled<Args extends unknown[]>(
  milliseconds: number,
  report: (...args: Args) => void,
): (...args: Args) => void {
  let quietUntil = 0;
  return (...args) => {
    const now = Date.now();
    if (now < quietUntil) return;
    quietUntil = now + milliseconds;
    report(...args);
  };
}
