import type { LookupAddress, LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Ctx } from "../context.ts";
import { isPublicAddress } from "../domain/push/endpoints.ts";

/** Finds all addresses of a name, as Node's `lookup` does. */
export type ResolveName = (
  name: string,
  options: LookupAllOptions,
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Resolves names to public addresses only, at the moment of connecting: names may resolve anew each time. */
export function publicLookup(
  { config }: Pick<Ctx, "config">,
  resolveName: ResolveName,
): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const isFine =
        error === null && addresses.every(({ address }) => isPublicAddress(config, address));
      if (error !== null) callback(error, [], 0);
      else if (first === undefined || !isFine) callback(new NotPublic(), [], 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, isIP(first.address));
    });
  };
}

/** An address that no user may make this site ask. */
export class NotPublic extends Error {
  override message = "only public addresses are connected to";
}
