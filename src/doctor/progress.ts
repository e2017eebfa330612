/** Milliseconds between two lines of progress, on a terminal and in a log. */
const every = { screen: 200, log: 10_000 };

/** Shows progress on stderr; on a terminal in one line. */
export function showProgress(): (keys: number, total: number) => void {
  const isScreen = process.stderr.isTTY;
  let last = Date.now();
  return (keys, total) => {
    const now = Date.now();
    const isEnd = keys >= total;
    if (now - last < (isScreen ? every.screen : every.log) && !(isEnd && isScreen)) return;
    last = now;
    const line = `doctor: ${keys} of about ${total} keys`;
    process.stderr.write(isScreen ? `\r${line}${isEnd ? "\n" : ""}` : `${line}\n`);
  };
}
