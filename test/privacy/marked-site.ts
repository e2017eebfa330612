import { block, unblock } from "../../src/domain/actions/block.ts";
import { acceptRequest, endRequest, follow, unfollow } from "../../src/domain/actions/follow.ts";
import { addToList } from "../../src/domain/graph/lists.ts";
import { chooseAudiences } from "../../src/domain/users/settings.ts";
import { getAnyUserByName } from "../../src/domain/users/store.ts";
import { MarkedPosts, type Member } from "./marked-posts.ts";
import { isAccepted } from "./refusals.ts";
import * as rule from "./rule.ts";

/** A site with marked posts, and what its members are to each other. */
export class MarkedSite extends MarkedPosts {
  async follow(one: Member, other: Member): Promise<void> {
    const edge = { follower: one.id, followee: other.id };
    if (await isAccepted(follow(this.world.ctx, edge))) rule.follow(one, other);
    const membership = { owner: one.id, list: one.list, member: other.id };
    await isAccepted(addToList(this.world.ctx, membership));
  }

  /** By the follower, or by the one who is followed and removes a follower. */
  async unfollow(one: Member, other: Member): Promise<void> {
    await unfollow(this.world.ctx, { follower: one.id, followee: other.id });
    rule.unfollow(one, other);
  }

  async block(one: Member, other: Member): Promise<void> {
    if (await isAccepted(block(this.world.ctx, { blocker: one.id, blocked: other.id })))
      rule.block(one, other);
  }

  async unblock(one: Member, other: Member): Promise<void> {
    await unblock(this.world.ctx, { blocker: one.id, blocked: other.id });
    one.blocks.delete(other);
  }

  async protect(one: Member, protects: boolean): Promise<void> {
    const { ctx } = this.world;
    const user = await getAnyUserByName(ctx, one.name);
    await chooseAudiences(ctx, user, { protected: protects });
    rule.protect(one, protects, this.members);
    // A chore counts anew what the account has answered and retweeted.
    const countOpen = async () => {
      const counts = await this.world.queues.counts();
      const open = counts.filter(({ queue }) => queue === "chores");
      return open.filter(({ state }) => ["waiting", "active"].includes(state));
    };
    while ((await countOpen()).some(({ count }) => count > 0))
      await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Lets in those who ask to follow, or refuses all of them. */
  async answer(one: Member, accepts: boolean): Promise<void> {
    for (const asking of this.members.filter(({ asks }) => asks.has(one))) {
      const edge = { follower: asking.id, followee: one.id };
      await (accepts ? acceptRequest : endRequest)(this.world.ctx, edge);
      if (accepts) rule.accept(one, asking);
      else asking.asks.delete(one);
    }
  }
}
