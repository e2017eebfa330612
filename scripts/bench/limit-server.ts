import { buffer } from "node:stream/consumers";
import express from "express";

/** What the same Express can do at best: sends the bytes that came on standard input, from memory. */
const { PORT, BENCH_ENCODING: encoding = "", BENCH_TYPE: type = "" } = process.env;
const page = await buffer(process.stdin);
const app = express();
app.disable("x-powered-by");
app.set("etag", false);

app.get("/fixed", (_req, res) => {
  res.setHeader("Cache-Control", "no-store");
  res.setHeader("Content-Type", type);
  if (encoding !== "") res.setHeader("Content-Encoding", encoding);
  res.send(page);
});

app.listen(Number(PORT), "127.0.0.1");
