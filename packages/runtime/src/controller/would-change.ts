import {
  deepEqual,
  isJsonList,
  isJsonObject,
  type DeepReadonly,
  type JsonObject,
  type ObjectMeta,
} from "@kedge/machinery";
import { readElement } from "./list-element.ts";

/** What is compared: what a manager wants, what there is, and the fields (`fieldsV1`) that it applied. */
export interface AppliedState {
  readonly desired: object;
  readonly live: object;
  readonly fields: unknown;
}

/**
 * Whether a forced apply could change anything: the manager would own other fields than it does, or a value is
 * different. It goes by the field set, which says how lists are keyed, so it needs no schema. In doubt it says yes:
 * values that the server writes in another way (`1000m` for `1`) count as different.
 */
export function wouldChange({ desired, live, fields }: AppliedState): boolean {
  const { apiVersion: _version, kind: _kind, metadata, ...content }: Partial<AnyObject> = desired;
  const meta = settableMeta(metadata ?? {});
  const wanted = Object.keys(meta).length === 0 ? content : { ...content, metadata: meta };
  return !isSame(wanted, live, fields);
}

interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/** The rest of metadata is the server's, and in no field set. */
function settableMeta(metadata: DeepReadonly<ObjectMeta>): object {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return Object.fromEntries(
    Object.entries({ labels, annotations, ownerReferences, finalizers }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function isSame(desired: unknown, live: unknown, fields: unknown): boolean {
  if (!isJsonObject(fields)) return false;
  const elements = Object.entries(fields).filter(([element]) => element !== ".");
  // A leaf, or owned as a whole.
  if (elements.length === 0) return deepEqual(desired, live);
  if (isJsonList(desired)) return isJsonList(live) && isSameList(desired, live, elements);
  return isJsonObject(desired) && isJsonObject(live) && isSameMap(desired, live, elements);
}

type Elements = readonly (readonly [string, unknown])[];

function isSameMap(desired: Readonly<JsonObject>, live: Readonly<JsonObject>, elements: Elements): boolean {
  const keys = Object.keys(desired).filter((key) => desired[key] !== undefined);
  if (keys.length !== elements.length) return false;
  return elements.every(([element, fields]) => {
    const key = element.slice(2);
    const isOwn = element.startsWith("f:") && Object.hasOwn(desired, key) && Object.hasOwn(live, key);
    return isOwn && isSame(desired[key], live[key], fields);
  });
}

function isSameList(desired: readonly unknown[], live: readonly unknown[], elements: Elements): boolean {
  if (desired.length !== elements.length) return false;
  const items = elements.map(([element, fields]) => ({ ...readElement(element), fields }));
  let last = -1;
  return desired.every((wanted) => {
    const found = items.filter(({ isOf }) => isOf(wanted, "may lack"));
    const [item] = found;
    // Two may fit what has not all of its key: the server will know which one is meant.
    if (item === undefined || found.length > 1) return false;
    const index = live.findIndex((present) => item.isOf(present, "must have"));
    const isInOrder = index > last;
    last = index;
    return isInOrder && isSame(wanted, live[index], item.fields);
  });
}
