/** Milliseconds. */
const pause = 1000;

interface Kind {
  /** When it may be said again. */
  next: number;
  unsaid: number;
}

/**
 * Says things of one kind once a second at most, so that a flood of requests is none of log lines: `say` is told
 * how many were left unsaid since the last. There are to be few kinds.
 */
export function onceASecond(now: () => number = () => performance.now()) {
  const kinds = new Map<string, Kind>();
  return (name: string, say: (unsaid: number) => void): void => {
    const kind = kinds.get(name) ?? { next: -Infinity, unsaid: 0 };
    kinds.set(name, kind);
    if (now() < kind.next) {
      kind.unsaid += 1;
      return;
    }
    say(kind.unsaid);
    kinds.set(name, { next: now() + pause, unsaid: 0 });
  };
}
