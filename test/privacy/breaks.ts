/** A check that is taken out of the source: the proof must find it. */
export interface Break {
  /** What readers are no longer kept from. */
  name: string;
  /** In src. */
  file: string;
  /** Stands once in the file. */
  find: string;
  put: string;
}

export const breaks: readonly Break[] = [
  {
    name: "blocks and suspensions count for nothing",
    file: "domain/feeds/sight.ts",
    find: "if (author === undefined || isHiddenFrom(viewer, author, relationTo)) return false;",
    put: "if (author === undefined) return false;",
  },
  {
    name: "tweets for followers are for all who are signed in",
    file: "domain/feeds/sight.ts",
    find: '=== "followers" && follows.has(author.id)',
    put: '=== "followers"',
  },
  {
    name: "messages are for followers, too",
    file: "domain/feeds/sight.ts",
    find: 'effectiveAudience(tweet, author) === "followers" && follows',
    put: "follows",
  },
  {
    name: "strangers see what is not open",
    file: "domain/feeds/sight.ts",
    find: "if (viewer === undefined) return false;",
    put: "if (viewer === undefined) return true;",
  },
  {
    name: "protected accounts are open",
    file: "domain/tweets/audience.ts",
    find: "author.protected ?",
    put: "author.protected && !author.protected ?",
  },
  {
    name: "timelines and threads show every tweet",
    file: "domain/feeds/feed-items.ts",
    find: "!isSeen(tweet) || ",
    put: "",
  },
  {
    name: "a card shows what its reader may not see",
    file: "domain/feeds/feed-items.ts",
    find: "item.quote === undefined || isVisible(item.quote) ?",
    put: "item.quote === undefined || isVisible(item.tweet) ?",
  },
  {
    name: "a hidden retweet counts as seen",
    file: "domain/feeds/feed-items.ts",
    find: " && !(retweet && isHidden(retweet))",
    put: "",
  },
  {
    name: "notifications tell of hidden tweets",
    file: "domain/notifications/visibility.ts",
    find: "(tweet === undefined || !isSeen(tweet))",
    put: "tweet === undefined",
  },
  {
    name: "strangers find unlisted tweets",
    file: "domain/search/find-tweets.ts",
    find: ' || tweet.audience !== "unlisted"',
    put: " || tweet.audience !== undefined",
  },
  {
    name: "actions name hidden tweets",
    file: "domain/feeds/sight.ts",
    find: "if (author === undefined || author.suspended) return false;",
    put: "if (author !== undefined) return true;",
  },
  {
    name: "hashtags of accounts that are protected by now are trends",
    file: "domain/search/trending.ts",
    find: " && !user.protected",
    put: "",
  },
  {
    name: "pushes have the words of messages",
    file: "push/deliver.ts",
    find: "isMessage(tweet) && !user.messageTexts",
    put: "isMessage(tweet) && user.messageTexts",
  },
  {
    name: "weekly mails have what is for followers",
    file: "domain/accounts/digest.ts",
    find: 'audienceOf(tweet) === "public",',
    put: "true,",
  },
  {
    name: "conversations are open to all who know their address",
    file: "domain/messages/people.ts",
    find: "people.includes(user) && conversationAmong",
    put: "people.length > 0 && conversationAmong",
  },
  {
    name: "hashtags list what is not for everyone",
    file: "domain/search/index-tweet.ts",
    find: 'audience === "public" ? hashtagsIn',
    put: 'audience !== "mentioned" ? hashtagsIn',
  },
  {
    name: "hidden replies are counted",
    file: "domain/tweets/reactions.ts",
    find: "author === undefined || isOpen(tweet, author);",
    put: "author === undefined || tweet.author === author.id;",
  },
  {
    name: "replies and retweets of before an account was protected are counted",
    file: "domain/users/settings.ts",
    find: "if (isProtected !== wasProtected)",
    put: "if (isProtected && wasProtected)",
  },
  {
    name: "retweets by protected accounts are counted",
    file: "domain/tweets/reactions.ts",
    find: "isHidden ? stamp : undefined",
    put: "undefined",
  },
  {
    name: "lists of those who retweet name protected accounts",
    file: "domain/feeds/thread.ts",
    find: "return (author) => !isSeen({ author });",
    put: "return () => isSeen === undefined;",
  },
  {
    name: "notifications tell of retweets by protected accounts",
    file: "domain/notifications/visibility.ts",
    find: 'kind === "retweet" && !isSeen({ author: actor })',
    put: 'kind === "retweet" && isSeen === undefined',
  },
  {
    name: "explore has what is unlisted",
    file: "domain/tweets/tweet.ts",
    find: ' || audience !== "public"',
    put: "",
  },
  {
    name: "a reply is for more than what it answers",
    file: "domain/actions/addressees.ts",
    find: 'answer ? narrower(wanted ?? "public", answer.audience) : wanted',
    put: "wanted",
  },
  {
    name: "everyone retweets what is for followers",
    file: "domain/actions/retweet.ts",
    find: "return isOpen(tweet, author) || (author.id === user && !isMessage(tweet));",
    put: "return isOpen(tweet, author) || !isMessage(tweet);",
  },
  {
    name: "an edit lets others into a message",
    file: "domain/actions/edit-tweet.ts",
    find: "isMessage(tweet) ? tweet.mentions : ",
    put: "",
  },
];

/** A text with the break; throws if the check does not stand there once. */
export function broken(text: string, { file, find, put }: Break): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} has "${find}" ${parts.length - 1} times`);
  return parts.join(put);
}
