import { redisKilled } from "./01-redis-killed.ts";
import { workerKilled } from "./02-worker-killed.ts";
import { webKilledAnywhere } from "./03-web-killed-anywhere.ts";
import { killedAfterTheAnswer } from "./04-killed-after-the-answer.ts";
import { toldToEnd } from "./05-told-to-end.ts";
import { silentRedis } from "./06-silent-redis.ts";
import { diskFull } from "./07-disk-full.ts";
import { memoryFull } from "./08-memory-full.ts";
import { clusterCutOff } from "./09-cluster-cut-off.ts";
import { clusterFailover } from "./09-cluster-failover.ts";
import { clusterLaggingReplica } from "./09-cluster-lagging-replica.ts";
import { laggingLogIns } from "./09-lagging-log-ins.ts";
import { slotsAreMoved } from "./10-slots-moved.ts";
import { wrongClocks } from "./11-wrong-clocks.ts";
import { doubleSubmit } from "./12-double-submit.ts";
import { followStorm } from "./13-follow-storm.ts";
import { badJobs } from "./14-bad-jobs.ts";
import { jobsTwice } from "./15-jobs-twice.ts";
import { slowClients } from "./16-slow-clients.ts";
import { wrongStart } from "./17-wrong-start.ts";
import { powerLoss } from "./18-power-loss.ts";
import { silentFloods } from "./19-silent-floods.ts";
import { slowBodies } from "./20-slow-bodies.ts";
import { storageAway } from "./21-storage-away.ts";
import { rollingUpgrade } from "./22-rolling-upgrade.ts";
import { smallMachine } from "./23-small-machine.ts";
import { scheduledKilled } from "./24-scheduled-killed.ts";
import type { Drill } from "./lab/drill.ts";

/** All drills, in the order of the table in docs/reliability.md. */
export const drills: Drill[] = [
  redisKilled,
  workerKilled,
  webKilledAnywhere,
  killedAfterTheAnswer,
  toldToEnd,
  silentRedis,
  diskFull,
  memoryFull,
  clusterCutOff,
  clusterFailover,
  clusterLaggingReplica,
  laggingLogIns,
  slotsAreMoved,
  wrongClocks,
  doubleSubmit,
  followStorm,
  badJobs,
  jobsTwice,
  slowClients,
  wrongStart,
  powerLoss,
  silentFloods,
  slowBodies,
  storageAway,
  rollingUpgrade,
  smallMachine,
  scheduledKilled,
];
