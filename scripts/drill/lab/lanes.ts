/** Runs `work` for each item, a few at a time; resolves to the results in the order of the items. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, nth: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    for (let nth = next++; nth < items.length; nth = next++)
      results[nth] = await work(items[nth] as Item, nth);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
