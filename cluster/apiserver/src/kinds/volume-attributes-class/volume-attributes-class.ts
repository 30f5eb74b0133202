import {
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  validateQualifiedName,
  type FieldError,
} from "@kedge/machinery";
import { VolumeAttributesClass } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { named } from "../validation/field-rules.ts";

/** VolumeAttributesClasses: what a driver can change of a volume that exists. */
export function volumeAttributesClassDefinition(): KindDefinition {
  return {
    kind: VolumeAttributesClass,
    printer,
    strategy: { validate, validateUpdate, generation: "none", deleteAnswersObject: true },
  };
}

const printer = printerOf(
  VolumeAttributesClass,
  [nameColumn, column("DriverName", "The driver."), ageColumn],
  ({ metadata, driverName }, now) => [
    metadata?.name,
    driverName ?? "",
    age(metadata?.creationTimestamp, now),
  ],
);

const mostParameters = 512;
const longest = 256 * 1024;

function validate(object: StoredApiObject): FieldError[] {
  const { driverName = "", parameters = {} } = decodedAs(VolumeAttributesClass, object);
  const entries = Object.entries(parameters);
  const size = entries.reduce(
    (sum, [key, value = ""]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  const path = fieldPath("parameters");
  return [
    ...(driverName === ""
      ? [fieldRequired("driverName")]
      : named(driverName.toLowerCase(), validateQualifiedName, fieldPath("driverName"))),
    ...(entries.length > mostParameters ? [fieldTooLong(path, mostParameters)] : []),
    ...entries.flatMap(([key]) => (key === "" ? [fieldInvalid(path, key, "field can not be empty.")] : [])),
    ...(size > longest ? [fieldTooLong(path, longest)] : []),
    ...(entries.length === 0 ? [fieldRequired(path, "must contain at least one key/value pair")] : []),
  ];
}

function validateUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  return ["driverName", "parameters"].flatMap((field) =>
    deepEqual(object[field], previous[field])
      ? []
      : [fieldForbidden(field, `updates to ${field} are forbidden.`)],
  );
}
