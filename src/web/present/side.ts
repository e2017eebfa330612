import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { relationsTo } from "../../domain/users/relations.ts";
import { newestUsers } from "../../domain/users/store.ts";
import type { Reader } from "../middleware/language.ts";
import { type PersonView, presentPeople } from "./people.ts";
import { presentTrends } from "./search.ts";
import { presentSuggestions } from "./suggestions.ts";

const shown = { trends: 5, people: 3 } as const;
/** What was found is shown for so long: nobody waits for these. */
const keptMilliseconds = 60_000;
const viewersKept = 2000;

/** Somebody, or all who are signed out and read one language. */
type Key = UserId | `:${string}`;

interface Found {
  language: string;
  heading: string;
  people: PersonView[];
}

export interface SideView extends Omit<Found, "language"> {
  trends: ReturnType<typeof presentTrends>;
}

const memories = new WeakMap<Ctx, LRUCache<Key, Found>>();

/**
 * The third column of wide screens: what people write about, and whom to follow. Asks Redis for nothing
 * that this process knows: a page costs a few commands once a minute, and none in between. Whom the
 * viewer blocks or mutes is gone at once; whom they follow, as soon as forgetSide is told.
 */
export async function presentSide(ctx: Ctx, reader: Reader): Promise<SideView> {
  const { viewer, words } = reader;
  const [trends, { heading, people }] = await Promise.all([
    trendingTags(ctx),
    peopleFor(ctx, reader),
  ]);
  const relationTo = await relationsTo(
    ctx,
    viewer,
    people.map(({ id }) => id),
  );
  const visible = people.filter(({ id }) => !relationTo(id).blocked && !relationTo(id).muted);
  return {
    trends: presentTrends(words, trends.slice(0, shown.trends)),
    heading,
    people: visible.slice(0, shown.people),
  };
}

/** After somebody followed or unfollowed somebody. Other processes go on for up to a minute. */
export function forgetSide(ctx: Ctx, viewer: UserId): void {
  memoryOf(ctx).delete(viewer);
}

async function peopleFor(ctx: Ctx, reader: Reader): Promise<Found> {
  const memory = memoryOf(ctx);
  const { language } = reader.words;
  const key: Key = reader.viewer?.id ?? `:${language}`;
  const known = memory.get(key);
  if (known?.language === language) return known;
  const found = await findPeople(ctx, reader);
  memory.set(key, found);
  return found;
}

/** Twice as many as are shown: the viewer may not want to see some of them a moment later. */
async function findPeople(ctx: Ctx, reader: Reader): Promise<Found> {
  const { words } = reader;
  const { language } = words;
  const suggested = await presentSuggestions(ctx, reader, 2 * shown.people);
  if (suggested.length > 0)
    return { language, heading: words.t("side.whoToFollow"), people: suggested };
  const newest = await presentPeople(ctx, reader, await newestUsers(ctx, 4 * shown.people));
  const others = newest.filter(({ isMe, follow }) => !isMe && follow?.pressed === false);
  return {
    language,
    heading: words.t("side.newPeople"),
    people: others.slice(0, 2 * shown.people),
  };
}

function memoryOf(ctx: Ctx): LRUCache<Key, Found> {
  const known = memories.get(ctx);
  const memory = known ?? new LRUCache({ max: viewersKept, ttl: keptMilliseconds });
  memories.set(ctx, memory);
  return memory;
}
