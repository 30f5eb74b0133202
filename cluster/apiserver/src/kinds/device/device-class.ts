import { fieldInvalid, fieldPath, validateQualifiedName, type FieldError } from "@kedge/machinery";
import { DeviceClass } from "@kedge/machinery/kinds/resource/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { validateConfiguration, validateDeviceSelectors } from "./claim-validation.ts";

/** DeviceClasses: which devices a claim can ask for by one name. */
export function deviceClassDefinition(): KindDefinition {
  return { kind: DeviceClass, printer, strategy: { validate, deleteAnswersObject: true } };
}

function validate(object: StoredApiObject): FieldError[] {
  const {
    selectors = [],
    config = [],
    extendedResourceName: extended,
  } = decodedAs(DeviceClass, object).spec ?? {};
  return [
    ...validateDeviceSelectors(selectors, fieldPath("spec", "selectors")),
    ...config.flatMap(({ opaque }, i) => validateConfiguration(opaque, fieldPath("spec", "config").index(i))),
    ...(extended === undefined || isExtended(extended)
      ? []
      : [fieldInvalid("spec.extendedResourceName", extended, "must be a valid extended resource name")]),
  ];
}

function isExtended(name: string): boolean {
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  return !isNative && !name.startsWith("requests.") && validateQualifiedName(`requests.${name}`).length === 0;
}

const printer = printerOf(DeviceClass, [nameColumn, ageColumn], ({ metadata }, now) => [
  metadata?.name,
  age(metadata?.creationTimestamp, now),
]);
