import type { Store, Write } from "@kedge/store";
import type { Journal } from "./journal.ts";
import { putBetween } from "./put-between.ts";

/** A commit that is a step of the way. */
export interface TracedCommit {
  readonly name: string;
  /** The end of the key. */
  readonly key: string;
  /** Which version of it. Default: the first. */
  readonly when?: (object: StoredJson) => boolean;
  readonly layer: string;
  readonly text: (revision: number) => string;
}

/** As much of an object as the steps look at. */
export interface StoredJson {
  readonly spec?: { readonly volumeName?: string };
  readonly status?: {
    readonly status?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Notes commits when the store says that they are durable. */
export function traceStore(journal: Journal, commits: readonly TracedCommit[]): (store: Store) => Store {
  return (store) =>
    putBetween(store, {
      transaction: async (transaction) => {
        const result = await store.transaction(transaction);
        if (!result.succeeded) return result;
        for (const write of transaction.success) {
          for (const commit of commits) {
            if (isOf(commit, write)) journal.note(commit.name, commit.layer, commit.text(result.revision));
          }
        }
        return result;
      },
    });
}

function isOf({ key, when }: TracedCommit, write: Write): boolean {
  if (write.type !== "put" || !write.key.endsWith(key)) return false;
  if (when === undefined) return true;
  return when(JSON.parse(new TextDecoder().decode(write.value)) as StoredJson);
}
