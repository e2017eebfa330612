/** An id that is higher by more than this is damaged: no counter is raised to it. */
const mostAhead = 10_000_000;

/** The highest ids that were found anywhere. */
export class MaxIds {
  user = 0;
  tweet = 0;
  app = 0;

  sawUser(id: string | undefined): void {
    const number = Number(id);
    if (number > this.user) this.user = number;
  }

  sawTweet(id: string | undefined): void {
    const number = Number(id);
    if (number > this.tweet) this.tweet = number;
  }

  sawApp(id: string | undefined): void {
    const number = Number(id);
    if (number > this.app) this.app = number;
  }
}

/** Whether raising a counter by this much is plausible. */
export function isPlausible(from: number, to: number): boolean {
  return Number.isSafeInteger(to) && to - from <= mostAhead;
}
