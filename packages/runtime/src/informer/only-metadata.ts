import type { PartialObjectMetadata } from "@kedge/client";
import type { Kind, ObjectMeta, Scope } from "@kedge/machinery";
import type { StoredView } from "./stored-view.ts";

/**
 * A kind of which only the metadata is asked for, watched and kept in memory: for kinds with many or large objects of
 * which a controller must know that one has changed, and reads a few. `watches(metadataOf(Secret), map)`, then
 * `run.read(metadataOf(Secret)).get(key)`, which has no data, then `run.client.of(Secret).get(key)` where it matters.
 */
export function metadataOf<T extends { metadata: ObjectMeta }, S extends Scope, Sub extends string>(
  kind: Kind<T, S, Sub>,
): Kind<PartialObjectMetadata<T["metadata"]>, S, never> {
  const { group, version, kind: name, plural, scope } = kind;
  const only: MetadataKind<T["metadata"], S> = {
    group,
    version,
    kind: name,
    plural,
    scope,
    subresources: [],
    onlyMetadata: true,
  };
  return only;
}

interface MetadataKind<M, S extends Scope> extends Kind<PartialObjectMetadata<M>, S, never> {
  readonly onlyMetadata: true;
}

/** Whether a kind was made by `metadataOf`. */
export function isOnlyMetadata(kind: object): boolean {
  return "onlyMetadata" in kind;
}

/**
 * What is kept of such an object. Not the copy of the whole object that `kubectl apply` leaves in an annotation: it is
 * all that was not to be kept.
 */
export function metadataIn({ metadata }: StoredView): StoredView {
  const { [lastApplied]: _whole, ...annotations } = metadata.annotations ?? {};
  return {
    apiVersion: "meta.k8s.io/v1",
    kind: "PartialObjectMetadata",
    metadata: _whole === undefined ? metadata : { ...metadata, annotations },
  };
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
