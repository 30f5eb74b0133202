import { compareQuantities, forbidden, parseQuantity } from "@kedge/machinery";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { ApiObject, StoredApiObject, WriteContext } from "../../registry/types.ts";
import { lookUpAll } from "../../registry/lookup.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { sentAs, type Sent } from "../../registry/sent.ts";
import { dropStatus, keepStatus } from "../status.ts";
import { claimWarnings } from "../warnings/claim.ts";
import { validateClaim, validateClaimUpdate } from "../validation/persistent-volume-claim.ts";
import { addFinalizer } from "./add-finalizer.ts";

/** PersistentVolumeClaims. New ones get the default class, and a finalizer while a pod may use them. */
export function claimDefinition(): KindDefinition {
  return {
    kind: PersistentVolumeClaim,
    strategy: {
      prepareForCreate: (object) => {
        dropStatus(object);
        alignSources(object);
      },
      prepareForUpdate: (object, previous) => {
        keepStatus(object, previous);
        alignSources(object, previous);
      },
      admit,
      validate: validateClaim,
      validateUpdate: validateClaimUpdate,
      warnings: claimWarnings,
      generation: "none",
      deleteAnswersObject: true,
    },
  };
}

/** `dataSource` can name only claims and snapshots, `dataSourceRef` anything: each is filled in from the other. */
function alignSources(object: ApiObject, previous?: StoredApiObject): void {
  const { spec } = sentAs(PersistentVolumeClaim, object);
  if (spec === undefined) return;
  const before = previous === undefined ? undefined : sentAs(PersistentVolumeClaim, previous).spec;
  const isNew = before?.dataSource === undefined && before?.dataSourceRef === undefined;
  // Kubernetes forgets sources of kinds that it does not know.
  if (isNew && spec.dataSourceRef === undefined && !isKnownSource(spec.dataSource ?? {}))
    delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) spec.dataSourceRef ??= { ...dataSource };
  else if (dataSourceRef !== undefined && (dataSourceRef.namespace ?? "") === "")
    spec.dataSource = { ...dataSourceRef };
}

function isKnownSource({
  kind,
  apiGroup,
}: {
  kind?: string | undefined;
  apiGroup?: string | undefined;
}): boolean {
  if ((apiGroup ?? "") === "") return kind === "PersistentVolumeClaim";
  return apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

async function admit(
  object: ApiObject,
  previous: StoredApiObject | undefined,
  { objects }: WriteContext,
): Promise<void> {
  await Promise.resolve();
  if (previous !== undefined) {
    admitResize(object, previous, lookUpAll(objects, StorageClass));
    return;
  }
  addFinalizer(object, "kubernetes.io/pvc-protection");
  const claim = sentAs(PersistentVolumeClaim, object);
  const spec = (claim.spec ??= {});
  // An empty class is a choice: none.
  if (spec.storageClassName !== undefined || claim.metadata?.annotations?.[classAnnotation] !== undefined)
    return;
  const name = defaultClass(lookUpAll(objects, StorageClass))?.metadata?.name;
  if (name !== undefined) spec.storageClassName = name;
}

/** A bound claim grows only where its class knows how. */
function admitResize(
  object: ApiObject,
  previous: StoredApiObject,
  classes: readonly Sent<StorageClass>[],
): void {
  const before = sentAs(PersistentVolumeClaim, previous);
  if (compareQuantities(parseQuantity(sizeOf(object)), parseQuantity(sizeOf(previous))) <= 0) return;
  if (before.status?.phase !== "Bound") return;
  const name = before.metadata?.annotations?.[classAnnotation] ?? before.spec?.storageClassName ?? "";
  const known = classes.find(({ metadata }) => metadata?.name === name);
  if (name !== "" && known?.allowVolumeExpansion === true) return;
  // What is wrong by itself is told first.
  if ([...validateClaim(object), ...validateClaimUpdate(object, previous)].length > 0) return;
  throw forbidden(
    PersistentVolumeClaim,
    object.metadata.name ?? "",
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
  );
}

function sizeOf(claim: ApiObject): string {
  return sentAs(PersistentVolumeClaim, claim).spec?.resources?.requests?.["storage"] ?? "0";
}

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Of several defaults, the newest, then the first by name. */
function defaultClass(classes: readonly Sent<StorageClass>[]): Sent<StorageClass> | undefined {
  return classes.filter(isDefault).toSorted(byAgeThenName)[0];
}

function isDefault({ metadata }: Sent<StorageClass>): boolean {
  return [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ].some((key) => metadata?.annotations?.[key] === "true");
}

function byAgeThenName({ metadata: a }: Sent<StorageClass>, { metadata: b }: Sent<StorageClass>): number {
  if (a?.creationTimestamp !== b?.creationTimestamp)
    return (a?.creationTimestamp ?? "") < (b?.creationTimestamp ?? "") ? 1 : -1;
  return (a?.name ?? "") < (b?.name ?? "") ? -1 : 1;
}
