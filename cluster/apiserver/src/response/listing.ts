import type { ListMeta } from "@kedge/machinery";
import type { ObjectVersion } from "../storage/object-version.ts";

/** A list that was found: what it shows does not change, however long it takes to send it. */
export interface Listing {
  /** In the order of their keys. */
  readonly versions: Iterable<ObjectVersion>;
  /** Which of them are shown: the selectors of the request. */
  readonly matches: (version: ObjectVersion) => boolean;
  readonly metadata: ListMeta;
}
