import type { DeepReadonly } from "../json/deep-freeze.ts";
import type { KubeObject, ObjectMeta, OwnerReference, Uid } from "./metadata.ts";

/** An object as it must be to own others: stored, and saying what it is. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined; readonly uid: Uid };
}

/** An object that may be owned. */
export interface Dependent {
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/** Why an object cannot be made the dependent of another. */
export type OwnershipFailure = "CrossNamespace" | "OtherController" | "NotControlled" | "Incomplete";

/** An ownership that Kubernetes would not honour, that another controller has already, or that nobody has given. */
export class OwnershipError extends Error {
  override readonly name = "OwnershipError";
  readonly reason: OwnershipFailure;

  constructor(reason: OwnershipFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * A copy of an object that is controlled by the owner. Throws an `OwnershipError` when the owner lives in a namespace
 * and the object in another one or in none (the garbage collector would delete it), or when it has a controller.
 */
export function withController<T extends Dependent>(object: T, owner: Owner): T {
  checkNamespaces(object, owner);
  const controller = controllerOf(object);
  if (controller !== undefined && controller.uid !== owner.metadata.uid) {
    throw new OwnershipError(
      "OtherController",
      `${nameOf(object)} is controlled by ${controller.kind} ${controller.name} (uid ${controller.uid}) already and cannot be given to ${owner.kind} ${owner.metadata.name} (uid ${owner.metadata.uid}): an object has one controller at most`,
    );
  }
  return { ...object, metadata: { ...object.metadata, ownerReferences: withReference(object, owner) } };
}

/** The reference by which an owner controls its dependents. Deleting the owner in the foreground waits for them. */
export function controllerReference(owner: Owner): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  if (apiVersion === "" || kind === "" || metadata.name === "" || metadata.uid === "") {
    throw new OwnershipError(
      "Incomplete",
      `owner ${kind} ${metadata.name}: apiVersion, kind, name and uid must be set; items of a list come without the first two, a draft without the last`,
    );
  }
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The reference to the one owner that controls an object. */
export function controllerOf(object: Dependent): Readonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether that very owner controls the object: one of the same name that was there before does not count. */
export function isControlledBy(
  object: Dependent,
  owner: { readonly metadata: { readonly uid: Uid } },
): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** Whether that very owner is among the object's owners. */
export function isOwnedBy(object: Dependent, owner: { readonly metadata: { readonly uid: Uid } }): boolean {
  return object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) ?? false;
}

function checkNamespaces(object: Dependent, owner: Owner): void {
  const ownerNamespace = owner.metadata.namespace ?? "";
  const namespace = object.metadata.namespace ?? "";
  if (ownerNamespace === "" || ownerNamespace === namespace) return;
  const place = namespace === "" ? "has no namespace" : `is in namespace ${namespace}`;
  throw new OwnershipError(
    "CrossNamespace",
    `${nameOf(object)} ${place} and cannot be owned by ${owner.kind} ${owner.metadata.name} of namespace ${ownerNamespace}: an owner must be cluster-scoped or in the same namespace`,
  );
}

/** In the place where the owner's reference was, so that nothing changes when it was right already. */
function withReference(object: Dependent, owner: Owner): readonly Readonly<OwnerReference>[] {
  const references = object.metadata.ownerReferences ?? [];
  const reference = controllerReference(owner);
  return isOwnedBy(object, owner)
    ? references.map((other) => (other.uid === reference.uid ? reference : other))
    : [...references, reference];
}

function nameOf(object: Dependent & Partial<Pick<KubeObject, "kind">>): string {
  return `${object.kind ?? "object"} ${object.metadata.name ?? object.metadata.generateName ?? ""}`.trimEnd();
}
