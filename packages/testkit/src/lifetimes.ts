import { inBackground, isJsonObject } from "@kedge/machinery";
import type { Store, StoreEvent } from "@kedge/store";

const prefix = "/registry/";

/** What came and went in a store, from its own history. */
export class Lifetimes {
  readonly #events: StoreEvent[] = [];
  readonly #stop = new AbortController();

  /** Counts what is in a store as made, and follows its changes from there. */
  async start(store: Store, onFailure: (error: unknown) => void): Promise<void> {
    const { items, revision } = await store.range({ prefix });
    for (const current of items) this.#events.push({ type: "put", current, previous: undefined });
    inBackground(this.#follow(store, revision + 1), onFailure);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** How often each object was made and removed, by its key. */
  counts(plain: (key: string) => string): Readonly<Record<string, string>> {
    const counted = new Map<string, { created: number; deleted: number }>();
    for (const event of this.#events) {
      const key = event.type === "put" ? event.current.key : event.key;
      if (/\/(?:events|leases)\//u.test(key)) continue;
      const name = plain(key);
      const count = counted.get(name) ?? { created: 0, deleted: 0 };
      counted.set(name, count);
      count[event.type === "put" ? "created" : "deleted"]++;
    }
    return Object.fromEntries(
      [...counted]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, { created, deleted }]) => [key, `created ${created}, deleted ${deleted}`]),
    );
  }

  /** Every uid that there was, and whose: `Kind namespace/name`. */
  uids(): ReadonlyMap<string, string> {
    return new Map(
      this.#made().map(({ kind, namespace, name, uid }) => [uid, `${kind} ${namespace}/${name}`]),
    );
  }

  /** Every name that the server has made up, and what stands for it. */
  generatedNames(): ReadonlyMap<string, string> {
    return new Map(
      this.#made().flatMap(({ name, generateName }) =>
        isGenerated(name, generateName) ? [[name, `${generateName}*`] as const] : [],
      ),
    );
  }

  async #follow(store: Store, from: number): Promise<void> {
    const { signal } = this.#stop;
    for await (const { events } of store.watch({ prefix }, { from, signal })) {
      for (const event of events) {
        if (event.type === "delete" || event.previous === undefined) this.#events.push(event);
      }
    }
  }

  #made(): readonly Made[] {
    return this.#events.flatMap((event) => (event.type === "put" ? madeOf(event.current.value) : []));
  }
}

/** A StatefulSet says `generateName`, too, but chooses the names of its pods itself. */
function isGenerated(name: string, generateName: string): boolean {
  return generateName !== "" && /^[a-z0-9]{5}$/u.test(name.slice(generateName.length));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

interface Made {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generateName: string;
  readonly uid: string;
}

function madeOf(bytes: Uint8Array): readonly Made[] {
  const object: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isJsonObject(object) || !isJsonObject(object["metadata"])) return [];
  const { metadata } = object;
  const { namespace, name, generateName, uid } = metadata;
  return [
    {
      kind: text(object["kind"]),
      namespace: text(namespace),
      name: text(name),
      generateName: text(generateName),
      uid: text(uid),
    },
  ];
}
