import { deepEqual, fieldInvalid, fieldPath, type FieldError } from "@kedge/machinery";
import { ResourceClaim, ResourceClaimTemplate } from "@kedge/machinery/kinds/resource/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { metadataOfStatus, statusPart } from "../status.ts";
import { validLabels } from "../validation/field-rules.ts";
import { validateDeviceClaim } from "./claim-validation.ts";

/** ResourceClaims: the devices that pods want. Who allocates them: a scheduler that knows how. */
export function resourceClaimDefinition(): KindDefinition {
  return {
    kind: ResourceClaim,
    printer: claimPrinter,
    strategy: {
      validate: (object, previous) =>
        previous === undefined
          ? validateDeviceClaim(
              decodedAs(ResourceClaim, object).spec?.devices ?? {},
              fieldPath("spec", "devices"),
            )
          : [],
      validateUpdate: sameSpec,
      generation: "none",
      deleteAnswersObject: true,
    },
    subresources: { status: statusPart({ keepMetadata: metadataOfStatus }) },
  };
}

/** ResourceClaimTemplates: claims that each pod gets one of. */
export function resourceClaimTemplateDefinition(): KindDefinition {
  return {
    kind: ResourceClaimTemplate,
    printer: templatePrinter,
    strategy: {
      validate: (object) => {
        const { spec = {} } = decodedAs(ResourceClaimTemplate, object);
        return [
          ...validLabels(spec.metadata?.labels, fieldPath("spec", "metadata", "labels")),
          ...validateDeviceClaim(spec.spec?.devices ?? {}, fieldPath("spec", "spec", "devices")),
        ];
      },
      validateUpdate: sameSpec,
      generation: "none",
      deleteAnswersObject: true,
    },
  };
}

function sameSpec(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  if (deepEqual(object["spec"], previous["spec"])) return [];
  return [fieldInvalid("spec", object["spec"], "field is immutable")];
}

const claimPrinter = printerOf(
  ResourceClaim,
  [nameColumn, column("State", "What has become of it."), ageColumn],
  ({ metadata, status }, now) => {
    const isDeleted = metadata?.deletionTimestamp !== undefined;
    const states = [
      ...(isDeleted ? ["deleted"] : []),
      ...(status?.allocation === undefined
        ? isDeleted
          ? []
          : ["pending"]
        : ["allocated", ...((status.reservedFor ?? []).length > 0 ? ["reserved"] : [])]),
    ];
    return [metadata?.name, states.join(","), age(metadata?.creationTimestamp, now)];
  },
);

const templatePrinter = printerOf(ResourceClaimTemplate, [nameColumn, ageColumn], ({ metadata }, now) => [
  metadata?.name,
  age(metadata?.creationTimestamp, now),
]);
