import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { picture } from "./pictures.ts";
import { xFile, xTweet } from "./x-archive.ts";

/**
 * An archive of X as of a user of many years: texts of a hundred characters, a tweet every two hours, and pictures of
 * 18 kB in evenly spread tweets.
 */
export async function largeArchive(size: { tweets: number; pictures: number }): Promise<Buffer> {
  const start = Date.UTC(2012, 0, 1);
  const every = size.tweets / size.pictures;
  const zip = new ZipFile();
  const bytes = await picture("jpeg", { width: 2000, height: 1400 });
  const tweets = Array.from({ length: size.tweets }, (_, nth) => {
    const id = String(1_000_000 + nth);
    const hasPicture = nth % every === 0;
    if (hasPicture)
      zip.addBuffer(bytes, `data/tweets_media/${id}-P${nth}.jpg`, { compress: false });
    const words = `number ${nth}: ${"some words of this day and of others, ".repeat(2)}`;
    return xTweet({
      id,
      text: `${words}${hasPicture ? "https://t.co/p" : ""}`,
      at: new Date(start + nth * 7_200_000).toISOString(),
      media: hasPicture ? [{ name: `P${nth}.jpg`, short: "https://t.co/p" }] : [],
    });
  });
  zip.addBuffer(xFile("tweets", tweets), "data/tweets.js");
  zip.end();
  return await buffer(zip.outputStream);
}
