import { deepEqual, fieldPath } from "@kedge/machinery";
import { CSIDriver } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { immutable } from "../validation/field-rules.ts";
import { validateDriver } from "./validation.ts";

/** CSIDrivers: what drivers of volumes say of themselves. */
export function csiDriverDefinition(): KindDefinition {
  return {
    kind: CSIDriver,
    printer,
    strategy: {
      validate: validateDriver,
      validateUpdate: (object, previous) => {
        const [now, before] = [decodedAs(CSIDriver, object).spec, decodedAs(CSIDriver, previous).spec];
        return [
          ...immutable(now?.attachRequired, before?.attachRequired, fieldPath("spec", "attachedRequired")),
          ...immutable(
            now?.volumeLifecycleModes,
            before?.volumeLifecycleModes,
            fieldPath("spec", "volumeLifecycleModes"),
          ),
        ];
      },
      warnings,
      generation: "late",
      unconditionalUpdate: false,
      deleteAnswersObject: true,
    },
  };
}

function warnings(object: StoredApiObject, previous: StoredApiObject | undefined): readonly string[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = decodedAs(CSIDriver, object).spec ?? {};
  if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
  const before = previous === undefined ? undefined : decodedAs(CSIDriver, previous).spec?.tokenRequests;
  return deepEqual(before, tokenRequests) ? [] : [inSecrets];
}

const inSecrets =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

const printer = printerOf(
  CSIDriver,
  [
    nameColumn,
    column("AttachRequired", "Whether volumes are attached to a node first.", { type: "boolean" }),
    column("PodInfoOnMount", "Whether it is told of the pod.", { type: "boolean" }),
    column("StorageCapacity", "Whether the scheduler looks at how much is left.", { type: "boolean" }),
    column("TokenRequests", "Audiences of the tokens that it gets."),
    column("RequiresRepublish", "Whether it is called again and again.", { type: "boolean" }),
    column("Modes", "Which kinds of volumes it has."),
    ageColumn,
  ],
  ({ metadata, spec }, now) => [
    metadata?.name,
    spec?.attachRequired ?? true,
    spec?.podInfoOnMount ?? false,
    spec?.storageCapacity ?? false,
    spec?.tokenRequests === undefined
      ? "<unset>"
      : spec.tokenRequests.map(({ audience = "" }) => audience).join(","),
    spec?.requiresRepublish ?? false,
    (spec?.volumeLifecycleModes ?? []).join(",") || "<none>",
    age(metadata?.creationTimestamp, now),
  ],
);
