import type { Patch } from "@kedge/client";
import {
  controllerReference,
  isInvalid,
  isNotFound,
  type LabelSelector,
  type ObjectKey,
  type Uid,
} from "@kedge/machinery";
import { planOwnership, type Child } from "./plan.ts";

/** What is adopted and released, and for whom. */
export interface Adoption<C extends Child> {
  readonly owner: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: {
      readonly namespace: string;
      readonly name: string;
      readonly uid: Uid;
      readonly deletionTimestamp?: string | undefined;
    };
  };
  readonly selector: LabelSelector;
  /** All objects that the owner controls, or may come to. */
  readonly children: readonly C[];
  /** The owner as the server has it now. */
  readonly read: () => Promise<{
    readonly metadata: { readonly uid: Uid; readonly deletionTimestamp?: string | undefined };
  }>;
  /** What keeps a child of this owner from going unnoticed: comes with its adoption, goes with its release. */
  readonly finalizers?: readonly string[];
  readonly patch: (key: ObjectKey & { readonly namespace: string }, patch: Patch) => Promise<unknown>;
}

/** Adopts and releases, so that afterwards an owner controls those and only those that fit its selector. */
export async function adoptAndRelease<C extends Child>(adoption: Adoption<C>): Promise<void> {
  const { owner, selector, children, finalizers, patch } = adoption;
  const { adopt, release } = planOwnership({ metadata: owner.metadata, selector }, children);
  for (const { metadata } of release) {
    const ownerReferences = [{ $patch: "delete", uid: owner.metadata.uid }];
    const dropped = finalizers === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": finalizers };
    const changed = { uid: metadata.uid, ownerReferences, ...dropped };
    await unlessGone(patch(metadata, { strategic: { metadata: changed } }));
  }
  if (adopt.length === 0 || !(await isStillThere(adoption))) return;
  for (const { metadata } of adopt) {
    const ownerReferences = [controllerReference(owner)];
    const changed = {
      uid: metadata.uid,
      ownerReferences,
      ...(finalizers === undefined ? {} : { finalizers }),
    };
    await unlessGone(patch(metadata, { strategic: { metadata: changed } }));
  }
}

/** An owner whose deletion the cache does not show yet must not take children that its deletion has just set free. */
async function isStillThere<C extends Child>({ owner, read }: Adoption<C>): Promise<boolean> {
  try {
    const { metadata } = await read();
    return metadata.uid === owner.metadata.uid && metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** A child that went, or whom another has adopted meanwhile, is not ours to change. */
async function unlessGone(patching: Promise<unknown>): Promise<void> {
  try {
    await patching;
  } catch (error) {
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}
