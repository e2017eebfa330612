// Loaded before a web process (--import). A request with the header X-Drill-Last: N says N things to
// Redis and nothing after: its connection is cut, and it waits for ever, as if the process had been
// killed at that moment. The drill then kills the process. Other requests go on.
import { AsyncLocalStorage } from "node:async_hooks";
import { Server } from "node:http";
import { createRequire } from "node:module";
import { Redis } from "ioredis";

const require = createRequire(import.meta.url);
const { default: Pipeline } = require("ioredis/built/Pipeline.js");
const requests = new AsyncLocalStorage();

/** Whether the request that is under way has reached its end. */
function isOver() {
  const request = requests.getStore();
  if (request === undefined) return false;
  request.left -= 1;
  if (request.left === -1) request.res.socket?.destroy();
  return request.left < 0;
}

const forEver = new Promise(() => {});
/** A pipeline has the same functions; what is in it is counted when it is sent, or where it was said. */
const mortal = (say) =>
  function sayUnlessOver(...args) {
    return !(this instanceof Pipeline) && isOver() ? forEver : say.apply(this, args);
  };

const { emit } = Server.prototype;
Server.prototype.emit = function emitMortally(event, req, res) {
  const last = event === "request" ? req.headers["x-drill-last"] : undefined;
  if (last === undefined) return Reflect.apply(emit, this, arguments);
  return requests.run({ left: Number(last), res }, () => Reflect.apply(emit, this, arguments));
};

const { getBuiltinCommands, defineCommand } = Redis.prototype;
for (const name of [...getBuiltinCommands(), "call"])
  if (name !== "multi" && typeof Redis.prototype[name] === "function")
    Redis.prototype[name] = mortal(Redis.prototype[name]);

Redis.prototype.defineCommand = function defineMortally(name, definition) {
  defineCommand.call(this, name, definition);
  this[name] = mortal(this[name]);
};

// Those that ioredis makes by itself have a callback; what is in them has been counted.
const { exec } = Pipeline.prototype;
Pipeline.prototype.exec = function execMortally(...args) {
  if (args.length > 0) return exec.apply(this, args);
  return isOver() ? forEver : exec.call(this);
};
