import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, parseIpv4, type Clock } from "@kedge/machinery";
import { addressAt, inRange, parseRange } from "./address.ts";
import { NetworkError } from "./network-error.ts";
import { writeWhole } from "./write-whole.ts";

/** Which pod has which address. Kept in a file, so that it survives the agent. */
export interface PodAddresses {
  get(podUid: string): string | undefined;
  /** The address of a pod; a new one is chosen if it has none. Written down before it is given out. */
  assign(podUid: string): Promise<string>;
  release(podUid: string): Promise<void>;
  pods(): readonly string[];
}

/** The first addresses of a range: network, gateway, and room for what may come. */
const reserved = 10;

/** Where addresses are kept, and the range that they come from. */
export interface PodAddressOptions {
  readonly folder: string;
  readonly range: string;
  readonly clock: Clock;
}

/** Reads who has which address from `addresses.json` in the folder. */
export async function openPodAddresses(options: PodAddressOptions): Promise<PodAddresses> {
  const { clock } = options;
  const range = parseRange(options.range);
  const file = join(options.folder, "addresses.json");
  const known = new Map(
    (await clock.track(readAddresses(file))).filter(([, address]) => inRange(range, address)),
  );
  const taken = new Set(known.values());
  let last = Math.max(reserved, ...[...taken].map((address) => (parseIpv4(address) ?? 0) - range.first));
  let writing = Promise.resolve();

  // Addresses go round the range, so that one that was given back is not soon another pod's.
  const free = (): string => {
    const places = range.size - 1;
    for (let tried = 0; tried < places; tried++) {
      last = last + 1 >= places ? reserved : last + 1;
      const address = addressAt(range, last);
      if (!taken.has(address)) return address;
    }
    throw new NetworkError(`pod range ${options.range}: all ${taken.size} addresses are in use`);
  };
  const save = (): Promise<void> => {
    const text = `${JSON.stringify(Object.fromEntries(known), undefined, 2)}\n`;
    const before = writing;
    writing = (async () => {
      // One after the other; each writes all that is known, so an earlier failure is made good.
      await before.catch(() => undefined);
      await clock.track(writeWhole(file, text));
    })();
    return writing;
  };

  return {
    get: (uid) => known.get(uid),
    async assign(uid) {
      const address = known.get(uid) ?? free();
      known.set(uid, address);
      taken.add(address);
      await save();
      return address;
    },
    async release(uid) {
      const address = known.get(uid);
      if (address === undefined) return;
      known.delete(uid);
      taken.delete(address);
      await save();
    },
    pods: () => [...known.keys()],
  };
}

async function readAddresses(file: string): Promise<[string, string][]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return "{}";
    throw error;
  });
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null)
    throw new NetworkError(`${file}: must be an object; remove it to begin anew`);
  return Object.entries(value).map(([uid, address]) => [uid, String(address)]);
}
