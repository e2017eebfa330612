/** An id beyond this has been damaged: no counter is raised to it. */
const mostAhead = 10_000_000;

/** The largest ids that were met anywhere. */
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

/** Whether a counter may be raised from one number to another. */
export function isPlausible(from: number, to: number): boolean {
  return Number.isSafeInteger(to) && to - from <= mostAhead;
}
