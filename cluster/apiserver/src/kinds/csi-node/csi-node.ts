import {
  deepEqual,
  fieldDuplicate,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { CSINode, type CSINodeDriver } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { repeated } from "../repeated.ts";
import { validateDriverName } from "../validation/csi-driver-name.ts";
import { named, nonNegative } from "../validation/field-rules.ts";

/** CSINodes: which drivers of volumes a node has. */
export function csiNodeDefinition(): KindDefinition {
  return {
    kind: CSINode,
    printer,
    strategy: {
      validate: (object) => {
        // Null when there are none.
        const drivers = decodedAs(CSINode, object).spec?.drivers ?? [];
        const second = repeated(drivers, ({ name = "" }) => name);
        return drivers.flatMap((driver, i) =>
          driverErrors(driver, second.has(i), fieldPath("spec", "drivers").index(i)),
        );
      },
      validateUpdate,
      generation: "none",
      unconditionalUpdate: false,
      deleteAnswersObject: true,
    },
  };
}

const printer = printerOf(
  CSINode,
  [nameColumn, column("Drivers", "How many drivers it has.", { type: "integer" }), ageColumn],
  ({ metadata, spec }, now) => [
    metadata?.name,
    (spec?.drivers ?? []).length,
    age(metadata?.creationTimestamp, now),
  ],
);

const longestId = 192;

function driverErrors(driver: Decoded<CSINodeDriver>, isSecond: boolean, path: FieldPath): FieldError[] {
  const { name = "", nodeID = "", allocatable, topologyKeys = [] } = driver;
  const secondKeys = repeated(topologyKeys ?? [], (key) => key);
  return [
    ...validateDriverName(name, path.child("name")),
    ...(nodeID === "" ? [fieldRequired(path.child("nodeID"))] : []),
    ...(nodeID.length > longestId
      ? [fieldInvalid(path.child("nodeID"), nodeID, `must be ${longestId} characters or less`)]
      : []),
    ...nonNegative(allocatable?.count, path.child("allocatable", "count")),
    ...(isSecond ? [fieldDuplicate(path.child("name"), name)] : []),
    ...(topologyKeys ?? []).flatMap((key, i) => [
      ...(key === "" ? [fieldRequired(path)] : []),
      ...(secondKeys.has(i) ? [fieldDuplicate(path, key)] : []),
      ...named(key, validateQualifiedName, path),
    ]),
  ];
}

/** A driver may say anew how many volumes it can have, and nothing else. */
function validateUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const [now, before] = [decodedAs(CSINode, object), decodedAs(CSINode, previous)].map(
    ({ spec }) => spec?.drivers ?? [],
  );
  return (before ?? []).flatMap((old) =>
    (now ?? []).flatMap((driver) => {
      if (driver.name !== old.name) return [];
      const rest = { ...driver, allocatable: undefined };
      if (deepEqual(rest, { ...old, allocatable: undefined })) return [];
      const { name = "", nodeID = "", topologyKeys } = driver;
      const printed = new Map<string, unknown>([
        ["Name", name],
        ["NodeID", nodeID],
        ["TopologyKeys", topologyKeys ?? null],
        ["Allocatable", null],
      ]);
      return [fieldInvalid(fieldPath("spec", "drivers"), printed, "field is immutable")];
    }),
  );
}
