import { text } from "node:stream/consumers";
import express from "express";

/** What the same Express can do at best: the bytes that came on standard input, from memory. */
const page = await text(process.stdin);
const app = express();
app.disable("x-powered-by");
app.get("/fixed", (_req, res) => {
  res.setHeader("Cache-Control", "no-store");
  res.send(page);
});
app.listen(Number(process.env["PORT"]), "127.0.0.1");
