const width = 30;

/** A bar on a terminal; elsewhere one line at the end. Call it with how many are done. */
export function progressBar(label: string, total: number): (done: number) => void {
  const { stdout } = process;
  return (done) => {
    const isEnd = done >= total;
    if (!stdout.isTTY && !isEnd) return;
    const filled = total === 0 ? width : Math.round((done / total) * width);
    const bar = "█".repeat(filled) + "░".repeat(width - filled);
    const start = stdout.isTTY ? "\r" : "";
    stdout.write(`${start}${label.padEnd(10)} ${bar} ${done}/${total}${isEnd ? "\n" : ""}`);
  };
}
