/** Derives a value from each object once. The value is forgotten with its object. */
export function memo<Source extends object, Value>(
  make: (source: Source) => Value,
): (source: Source) => Value {
  const values = new WeakMap<Source, { value: Value }>();
  return (source) => {
    const present = values.get(source);
    if (present !== undefined) return present.value;
    const value = make(source);
    values.set(source, { value });
    return value;
  };
}
