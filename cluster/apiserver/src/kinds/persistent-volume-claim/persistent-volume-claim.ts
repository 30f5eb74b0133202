import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { dropStatus, keepStatus } from "../status.ts";
import { claimWarnings } from "./warnings.ts";
import { validateClaim, validateClaimUpdate } from "./validation.ts";
import { persistentVolumeClaimPrinter } from "./printer.ts";

/** PersistentVolumeClaims. */
export function claimDefinition(): KindDefinition {
  return {
    kind: PersistentVolumeClaim,
    printer: persistentVolumeClaimPrinter,
    strategy: {
      prepareForCreate: (object) => {
        dropStatus(object);
        alignSources(object);
      },
      prepareForUpdate: (object, previous) => {
        keepStatus(object, previous);
        alignSources(object, previous);
      },
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
  const { spec } = decodedAs(PersistentVolumeClaim, object);
  if (spec === undefined) return;
  const before = previous === undefined ? undefined : decodedAs(PersistentVolumeClaim, previous).spec;
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
