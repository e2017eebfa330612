import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { setPriority } from "node:os";

/**
 * A process of its own, so that sending much does not delay the one that takes the time. Sends a file for each
 * cookie at the same moment, each from another address, and prints how many answers had which status.
 */
interface Crowd {
  url: string;
  cookies: string[];
  files: string[];
}

// On a real network these bytes cost the site's machine no time to make.
setPriority(10);
const { url, cookies, files } = JSON.parse(process.env["BENCH_CROWD"] ?? "") as Crowd;
const boundary = "a-hostile-picture";
const before = [
  `--${boundary}\r\nContent-Disposition: form-data; name="text"\r\n\r\nA hostile picture`,
  `\r\n--${boundary}\r\nContent-Disposition: form-data; name="pictures"; filename="a.jpg"`,
  "\r\nContent-Type: image/jpeg\r\n\r\n",
].join("");
const bodies = await Promise.all(
  files.map(async (file) =>
    Buffer.concat([
      Buffer.from(before),
      await readFile(file),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  ),
);
const answers = await Promise.all(
  cookies.map((cookie, nth) => send(cookie, nth, bodies[nth % bodies.length] ?? Buffer.alloc(0))),
);
const counts: Record<string, number> = {};
for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
process.stdout.write(JSON.stringify(counts));

async function send(cookie: string, nth: number, body: Buffer): Promise<string> {
  const sent = request(`${url}/tweets`, {
    method: "POST",
    headers: {
      cookie,
      "x-forwarded-for": `192.0.2.${nth + 1}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": body.length,
    },
  });
  sent.end(body);
  const [answer] = await once(sent, "response").catch(() => []);
  if (answer === undefined) return "cut off";
  answer.resume();
  return String(answer.statusCode);
}
