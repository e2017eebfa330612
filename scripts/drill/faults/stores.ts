import { mkdirSync } from "node:fs";
import { join } from "node:path";
import S3rver from "s3rver";
import { takeFolderAway } from "../../../test/support/world/folder-away.ts";
import type { Lab } from "../lab/lab.ts";
import { Proxy } from "./proxy.ts";

/** Where a site keeps pictures, with what can go wrong. */
export interface Store {
  settings: Record<string, string>;
  /** `begin` resolves to what ends the fault. */
  faults: { name: string; begin(): Promise<() => Promise<void>> }[];
}

export async function awayFolder(lab: Lab): Promise<Store> {
  const folder = join(lab.folder, "data");
  mkdirSync(folder);
  return {
    settings: { DATA_DIR: folder },
    faults: [
      { name: "a folder that is missing", begin: () => takeFolderAway(folder, "missing") },
      { name: "a file in the folder's place", begin: () => takeFolderAway(folder, "file") },
    ],
  };
}

export async function awayBucket(lab: Lab): Promise<Store> {
  const directory = join(lab.folder, "bucket");
  mkdirSync(directory);
  const about = { address: "127.0.0.1", silent: true, directory };
  const configureBuckets = [{ name: "birds", configs: [] }];
  let server = new S3rver({ ...about, port: 0, configureBuckets });
  const { port } = await server.run();
  const proxy = await Proxy.before(port);
  lab.onClose(async () => {
    proxy.close();
    await server.close();
  });
  return {
    settings: {
      BUCKET_URL: `http://127.0.0.1:${proxy.port}/birds`,
      BUCKET_REGION: "us-east-1",
      // The only pair that s3rver knows.
      BUCKET_KEY_ID: "S3RVER",
      BUCKET_SECRET: "S3RVER",
    },
    faults: [
      {
        name: "a bucket that refuses",
        async begin() {
          proxy.cut();
          await server.close();
          return async () => {
            server = new S3rver({ ...about, port, configureBuckets });
            await server.run();
          };
        },
      },
      {
        name: "a bucket that hangs",
        begin() {
          proxy.silence();
          return Promise.resolve(async () => proxy.heal());
        },
      },
    ],
  };
}
