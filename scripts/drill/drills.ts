import { killedAfterTheAnswer } from "./04-killed-after-the-answer.ts";
import { silentRedis } from "./06-silent-redis.ts";
import type { Drill } from "./lab/drill.ts";

/** All drills, in the order of the table in docs/reliability.md. */
export const drills: Drill[] = [killedAfterTheAnswer, silentRedis];
