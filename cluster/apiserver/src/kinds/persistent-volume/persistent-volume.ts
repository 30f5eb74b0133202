import { formatTime } from "@kedge/machinery";
import { PersistentVolume } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject, StoredApiObject, WriteContext } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { statusPart } from "../status.ts";
import { validateVolume, validateVolumeUpdate } from "./validation.ts";
import { persistentVolumePrinter } from "./printer.ts";

/** PersistentVolumes. */
export function volumeDefinition(): KindDefinition {
  return {
    kind: PersistentVolume,
    printer: persistentVolumePrinter,
    strategy: {
      prepareForCreate: (object, { clock }) => {
        decodedAs(PersistentVolume, object).status = {
          phase: "Pending",
          lastPhaseTransitionTime: formatTime(clock.now()),
        };
      },
      validate: validateVolume,
      validateUpdate: validateVolumeUpdate,
      warnings: (object) =>
        decodedAs(PersistentVolume, object).spec?.persistentVolumeReclaimPolicy === "Recycle"
          ? [
              "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
            ]
          : [],
      generation: "none",
      deleteAnswersObject: true,
    },
    subresources: { status: statusPart({ prepare: stampPhase }) },
  };
}

function stampPhase(object: ApiObject, previous: StoredApiObject, { clock }: WriteContext): void {
  const status = (decodedAs(PersistentVolume, object).status ??= {});
  const before = decodedAs(PersistentVolume, previous).status;
  if (status.phase === before?.phase) status.lastPhaseTransitionTime ??= before?.lastPhaseTransitionTime;
  else if ([undefined, before?.lastPhaseTransitionTime].includes(status.lastPhaseTransitionTime))
    status.lastPhaseTransitionTime = formatTime(clock.now());
}
