import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { relationsTo } from "../../domain/users/relations.ts";
import { newestUsers, type User } from "../../domain/users/store.ts";
import { type PersonView, presentPeople } from "./people.ts";
import { presentTrends } from "./search.ts";
import { presentSuggestions } from "./suggestions.ts";

const shown = { trends: 5, people: 3 } as const;
/** What was found is shown for so long: nobody waits for these. */
const keptMilliseconds = 60_000;
const viewersKept = 2000;

interface Found {
  heading: string;
  people: PersonView[];
}

export interface SideView extends Found {
  trends: ReturnType<typeof presentTrends>;
}

const memories = new WeakMap<Ctx, LRUCache<UserId | "", Found>>();

/**
 * The third column of wide screens: what people write about, and whom to follow. Asks Redis for nothing
 * that this process knows: a page costs a few commands once a minute, and none in between. Whom the
 * viewer blocks or mutes is gone at once; whom they follow, as soon as forgetSide is told.
 */
export async function presentSide(ctx: Ctx, viewer: User | undefined): Promise<SideView> {
  const [trends, { heading, people }] = await Promise.all([
    trendingTags(ctx),
    peopleFor(ctx, viewer),
  ]);
  const relationTo = await relationsTo(
    ctx,
    viewer,
    people.map(({ id }) => id),
  );
  const visible = people.filter(({ id }) => !relationTo(id).blocked && !relationTo(id).muted);
  return {
    trends: presentTrends(trends.slice(0, shown.trends)),
    heading,
    people: visible.slice(0, shown.people),
  };
}

/** After somebody followed or unfollowed somebody. Other processes go on for up to a minute. */
export function forgetSide(ctx: Ctx, viewer: UserId): void {
  memoryOf(ctx).delete(viewer);
}

async function peopleFor(ctx: Ctx, viewer: User | undefined): Promise<Found> {
  const memory = memoryOf(ctx);
  const key = viewer?.id ?? "";
  const known = memory.get(key);
  if (known !== undefined) return known;
  const found = await findPeople(ctx, viewer);
  memory.set(key, found);
  return found;
}

/** Twice as many as are shown: the viewer may not want to see some of them a moment later. */
async function findPeople(ctx: Ctx, viewer: User | undefined): Promise<Found> {
  const suggested = await presentSuggestions(ctx, viewer, 2 * shown.people);
  if (suggested.length > 0) return { heading: "Who to follow", people: suggested };
  const newest = await presentPeople(ctx, viewer, await newestUsers(ctx, 4 * shown.people));
  const others = newest.filter(({ isMe, follow }) => !isMe && follow?.pressed === false);
  return { heading: "New people", people: others.slice(0, 2 * shown.people) };
}

function memoryOf(ctx: Ctx): LRUCache<UserId | "", Found> {
  const known = memories.get(ctx);
  const memory = known ?? new LRUCache({ max: viewersKept, ttl: keptMilliseconds });
  memories.set(ctx, memory);
  return memory;
}
