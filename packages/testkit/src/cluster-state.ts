import type { Client, DynamicObject } from "@kedge/client";
import { isJsonObject } from "@kedge/machinery";
import type { Lifetimes } from "./lifetimes.ts";

/** All that two runs must have in common in the end. Plain data: compare it with `toEqual`. */
export interface ClusterState {
  /** By `Kind namespace/name`: without what differs from run to run. Events and leases are not in it. */
  readonly objects: Readonly<Record<string, unknown>>;
  /** How often each was made and removed: `created 2, deleted 1`. */
  readonly lifetimes: Readonly<Record<string, string>>;
}

const uidPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu;

/** Lists of which every entry has a key of its own. */
const unordered = new Set(["addresses", "conditions", "endpoints", "notReadyAddresses", "ownerReferences"]);

const leftOut = new Set(["Event", "Lease"]);

/** Reads everything from the server and takes out what chance and time have put in. */
export async function readState(client: Client, lifetimes: Lifetimes): Promise<ClusterState> {
  client.discovery.forget();
  const objects: DynamicObject[] = [];
  for (const { kinds } of await client.discovery.served()) {
    for (const kind of kinds) {
      if (!kind.verbs.includes("list") || leftOut.has(kind.kind)) continue;
      const { items } = await client.of(kind).list().all();
      objects.push(...items);
    }
  }
  const words = new Words(lifetimes);
  const named = objects.map((object) => ({ key: words.keyOf(object), object }));
  const plain: Record<string, unknown> = {};
  // Secrets are numbered in the order of the keys, so that comes first.
  const texts = named
    .toSorted((one, other) => compare(one.key, other.key))
    .map(({ key, object }) => ({ key, text: words.textOf(object) }))
    .toSorted((one, other) => compare(one.key, other.key) || compare(one.text, other.text));
  for (const { key, text } of texts) {
    let name = key;
    for (let number = 2; name in plain; number++) name = `${key} (${number})`;
    plain[name] = JSON.parse(text);
  }
  return { objects: plain, lifetimes: lifetimes.counts((text) => words.plain(text)) };
}

/** Says the same of the same thing in every run. */
class Words {
  readonly #uids: ReadonlyMap<string, string>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #secrets = new Map<string, string>();

  constructor(lifetimes: Lifetimes) {
    this.#names = lifetimes.generatedNames();
    const uids = lifetimes.uids();
    // A volume's name has the uid of its claim in it.
    const nameOf = (uid: string): string =>
      `<${this.#withoutNames((uids.get(uid) ?? "gone").replaceAll(uidPattern, nameOf))}>`;
    this.#uids = new Map(Array.from(uids.keys(), (uid) => [uid, nameOf(uid)]));
  }

  keyOf({ kind, metadata: { namespace, name } }: DynamicObject): string {
    return this.plain(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`);
  }

  textOf(object: DynamicObject): string {
    const kept = JSON.stringify(
      object.kind === "Secret" ? this.#withoutSecrets(object) : object,
      (key, value: unknown) => (isBookkeeping(object, key) ? undefined : this.#ordered(key, value)),
    );
    return this.plain(kept);
  }

  plain(text: string): string {
    const timeless = text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/gu, "<time>")
      .replaceAll(uidPattern, (uid) => this.#uids.get(uid) ?? "<uid>")
      .replaceAll(/kube-api-access-[a-z0-9]{5}/gu, "kube-api-access-*")
      .replaceAll(/simulated:\/\/[0-9a-f]{32}/gu, "<container>")
      .replaceAll(/\b\d+\.\d+\.\d+\.\d+\b/gu, "<ip>");
    return this.#withoutNames(timeless);
  }

  #withoutNames(text: string): string {
    return text.replaceAll(/[a-z0-9][-a-z0-9.]*/gu, (word) => this.#names.get(word) ?? word);
  }

  /** A secret's values are chance, but which of them are equal is not. */
  #withoutSecrets(object: DynamicObject): object {
    const data = isJsonObject(object["data"]) ? object["data"] : {};
    const words = Object.entries(data).map(([key, value]) => {
      const text = String(value);
      const word = this.#secrets.get(text) ?? `secret ${this.#secrets.size + 1}`;
      this.#secrets.set(text, word);
      return [key, word] as const;
    });
    return { ...object, data: Object.fromEntries(words) };
  }

  /** Lists whose order means nothing. */
  #ordered(key: string, value: unknown): unknown {
    if (!Array.isArray(value)) return value;
    if (key === "managedFields") return sorted(value.map((entry: unknown) => this.#timeless(entry)));
    return unordered.has(key) ? sorted(value, (text) => this.plain(text)) : value;
  }

  #timeless(entry: unknown): unknown {
    return isJsonObject(entry) ? { ...entry, time: undefined } : entry;
  }
}

/**
 * What depends on the order of events and not on their end: how often endpoints were written, and for which change, on who
 * came first, and whether the scheduler owns a field of a pod on whether the pod had to wait.
 */
function isBookkeeping({ kind }: DynamicObject, key: string): boolean {
  if (key === "resourceVersion" || (kind === "Pod" && key === "managedFields")) return true;
  if (kind !== "EndpointSlice" && kind !== "Endpoints") return false;
  return key === "generation" || key === "annotations" || key === "f:annotations";
}

function sorted(list: readonly unknown[], plain: (text: string) => string = (text) => text): unknown[] {
  return list
    .map((value) => ({ value, text: plain(JSON.stringify(value)) }))
    .toSorted((one, other) => compare(one.text, other.text))
    .map(({ value }) => value);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
