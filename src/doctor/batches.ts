/** Parts of at most `size` things; all at once without it. */
export function* inBatches<T>(things: T[], size = things.length): Generator<T[]> {
  for (let start = 0; start < things.length; start += size) yield things.slice(start, start + size);
}

export function groupBy<T, Key>(things: readonly T[], keyOf: (thing: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group === undefined) groups.set(keyOf(thing), [thing]);
    else group.push(thing);
  }
  return groups;
}
