import {
  controllerOf,
  OwnershipError,
  uid,
  withController,
  type Dependent,
  type Kind,
  type Owner,
} from "@kedge/machinery";
import type { EventSubject } from "../events/types.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";

/** The annotation by which somebody consents that an object of theirs is taken over: `RedisInstance/cache`. */
export const adoptByAnnotation = "kedge.dev/adopt-by";

/** Whose child it is to be, and how that is known. */
export interface Ownership {
  readonly owner: EventSubject;
  /**
   * For children that must outlive their owner, such as volumes: they get no owner reference, so nothing deletes them
   * with it. This label, with the owner's name as its value, says whose they are.
   */
  readonly outlivesBy?: string | undefined;
  /** What else each child carries. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** What is to be applied, with the mark by which it is known as the owner's. */
export function owned<T extends object>(desired: T, { owner, outlivesBy, labels }: Ownership): T {
  const stored = storedOwner(owner);
  const child = labelled(promised<StoredView>(desired), labels);
  if (outlivesBy === undefined) return promised<T>(withController(child, stored));
  return promised<T>(labelled(child, { [outlivesBy]: owner.metadata.name }));
}

function labelled(child: StoredView, labels: Readonly<Record<string, string>> = {}): StoredView {
  if (Object.keys(labels).length === 0) return child;
  const { metadata } = child;
  return { ...child, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

/**
 * Throws an `OwnershipError`, with the way out, for an object that is not the owner's: it may have the name by chance,
 * and belongs to whoever made it.
 */
export function checkOwnership(kind: Kind<unknown>, found: StoredView, ownership: Ownership): void {
  const { owner } = ownership;
  const controller = controllerOf(found);
  if (controller?.uid === owner.metadata.uid && controller?.uid !== undefined) return;
  const what = textOf(kind, found);
  const who = `${owner.kind} ${owner.metadata.name}`;
  if (controller !== undefined) {
    const isEarlier = controller.kind === owner.kind && controller.name === owner.metadata.name;
    throw new OwnershipError(
      "OtherController",
      isEarlier
        ? `${what} is left from an earlier ${who} and is about to be deleted with it; wait, or delete it yourself`
        : `${what} exists and is controlled by ${controller.kind} ${controller.name}: it is left alone; delete it there, or give ${who} another name`,
    );
  }
  if (isConsented(found, owner) || isLabelled(found, ownership)) return;
  const namespace = found.metadata.namespace === undefined ? "" : ` -n ${found.metadata.namespace}`;
  throw new OwnershipError(
    "NotControlled",
    `${what} exists and is not controlled by ${who}: it is left alone; rename or delete it, or let it be taken over: kubectl annotate${namespace} ${kind.plural} ${found.metadata.name} ${adoptByAnnotation}=${owner.kind}/${owner.metadata.name}`,
  );
}

/** Whether an object that nobody controls says that this owner may take it. */
export function isConsented(
  { metadata }: Dependent,
  owner: { readonly kind: string; readonly metadata: { readonly name: string } },
): boolean {
  return metadata.annotations?.[adoptByAnnotation] === `${owner.kind}/${owner.metadata.name}`;
}

function isLabelled({ metadata }: StoredView, { owner, outlivesBy }: Ownership): boolean {
  return outlivesBy !== undefined && metadata.labels?.[outlivesBy] === owner.metadata.name;
}

function textOf(kind: Kind<unknown>, { metadata }: StoredView): string {
  const { namespace, name } = metadata;
  return `${kind.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function storedOwner({ apiVersion, kind, metadata }: EventSubject): Owner {
  if (metadata.uid === undefined || metadata.uid === "") {
    throw new OwnershipError(
      "Incomplete",
      `owner ${kind} ${metadata.name}: metadata.uid must be set: only what is stored can own something`,
    );
  }
  return { apiVersion, kind, metadata: { ...metadata, uid: uid(metadata.uid) } };
}
