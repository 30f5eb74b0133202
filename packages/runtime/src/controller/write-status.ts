import {
  createMergePatch,
  deepEqual,
  type Condition,
  type DeepReadonly,
  type Kind,
  type Scope,
} from "@kedge/machinery";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { Cached } from "../informer/types.ts";
import { newestOf, patchExact } from "./exact-patch.ts";
import type { WritingContext } from "./types.ts";

/** The type of a kind's status. */
export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : never;

/**
 * Writes the status of an object, whole: what is not in it goes. Nothing is sent when the status is so already.
 * Conditions whose status did not change keep their transition times. Fails with a conflict when the object has changed
 * since the cache saw it. Gives the object as it is then.
 */
export async function writeStatus<T, S extends Scope, Sub extends string>(
  context: WritingContext,
  kind: Kind<T, S, Sub>,
  object: Cached<T>,
  status: DeepReadonly<StatusOf<T>>,
): Promise<Cached<T>> {
  const newest = newestOf(context, kind, promised<StoredView>(object));
  const { status: before = {} } = promised<{ readonly status?: WithConditions }>(newest);
  const after = keepTransitionTimes(before, promised<WithConditions>(status));
  if (deepEqual(before, after)) return promised<Cached<T>>(newest);
  const change = promised<{ readonly status?: unknown }>(
    createMergePatch({ status: before }, { status: after }),
  );
  const hasSubresource = promised<readonly string[]>(kind.subresources).includes("status");
  const patch = { object: newest, change, ...(hasSubresource && { subresource: "status" as const }) };
  return promised<Cached<T>>(await patchExact(context, kind, patch));
}

interface WithConditions {
  readonly conditions?: readonly Readonly<Condition>[] | undefined;
}

function keepTransitionTimes(before: WithConditions, after: WithConditions): WithConditions {
  if (!Array.isArray(after.conditions)) return after;
  const conditions = after.conditions.map((condition: Readonly<Condition>) => {
    const old = before.conditions?.find(({ type }) => type === condition.type);
    const isSame = old?.status === condition.status && old.lastTransitionTime !== undefined;
    return isSame ? { ...condition, lastTransitionTime: old.lastTransitionTime } : condition;
  });
  return { ...after, conditions };
}
