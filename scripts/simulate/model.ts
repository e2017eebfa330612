/** What one size of a site came to, by the name of the quantity. */
export interface Sized {
  people: number;
  values: Record<string, number>;
}

export interface Prediction {
  name: string;
  /** A share of each person, and a part that every site has. */
  each: number;
  fixed: number;
  predicted: number;
  measured: number;
  /** 0.1: the prediction is a tenth too high. */
  error: number;
}

/** The largest error of a good prediction. */
export const tolerance = 0.15;

/**
 * The model of docs/scaling.md: all that a site needs grows with its people, beside a fixed part. Both are taken from two
 * sizes; the prediction is of the third.
 */
export function predict(first: Sized, second: Sized, third: Sized): Prediction[] {
  return Object.keys(third.values).map((name) => {
    const [one = 0, two = 0, measured = 0] = [first, second, third].map(
      ({ values }) => values[name] ?? 0,
    );
    const each = (two - one) / (second.people - first.people);
    const fixed = one - each * first.people;
    const predicted = fixed + each * third.people;
    const error = measured === 0 ? 0 : predicted / measured - 1;
    return { name, each, fixed, predicted, measured, error };
  });
}

/** Bytes of one of each, as the row of a million people in docs/scaling.md says; that row assumes these numbers. */
export function bytesInGuide(guide: string): Record<string, number> {
  const cells = /^\| 1,000,000 +\|(.*)$/m.exec(guide)?.[1]?.split("|") ?? [];
  const gigabytes = cells.map((cell) => Number(/[\d,.]+/.exec(cell)?.[0].replaceAll(",", "")));
  const [homes = 0, users = 0, follows = 0, notifications = 0, tweets = 0] = gigabytes;
  const actives = 1_000_000 / 3;
  return {
    home: (homes * 1e9) / actives,
    person: (users * 1e9) / 1_000_000,
    follow: (follows * 1e9) / (actives * 150),
    notification: (notifications * 1e9) / (actives * 1000),
    tweet: (tweets * 1e9) / (actives * 2 * 730),
  };
}
