// Loaded before a worker process (--import): what it says to Redis about some keys ends it, or hangs.
//   DRILL_DEADLY_KEY   the first command about this key is the process' last moment, as by kill -9
//   DRILL_HANGING_KEY  a command about this key is never sent
// A job that hangs is given up sooner than otherwise.
import { Redis } from "ioredis";

const { DRILL_DEADLY_KEY: deadly, DRILL_HANGING_KEY: hanging } = process.env;
const { sendCommand } = Redis.prototype;

const { usualJobLimits } = await import(
  new URL("../../../dist/jobs/queue-worker.js", import.meta.url)
);
usualJobLimits.silence = 15_000;

Redis.prototype.sendCommand = function send(command, ...rest) {
  const [key] = command.args;
  if (key === deadly) process.kill(process.pid, "SIGKILL");
  if (key === hanging) return command.promise;
  return sendCommand.call(this, command, ...rest);
};
