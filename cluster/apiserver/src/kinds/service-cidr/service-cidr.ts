import { fieldInvalid, fieldPath, fieldRequired, type FieldError } from "@kedge/machinery";
import { ServiceCIDR } from "@kedge/machinery/kinds/networking/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { metadataOfStatus, statusPart } from "../status.ts";
import { validateCidr } from "../validation/cidr.ts";

/** The name of the range that services get their addresses from. */
export const defaultServiceCidr = "kubernetes";

/** ServiceCIDRs. Services get addresses from the first one, which the server makes; of others it is told that. */
export function serviceCidrDefinition(): KindDefinition {
  return {
    kind: ServiceCIDR,
    printer,
    strategy: {
      validate: (object, previous) => (previous === undefined ? rangeErrors(rangesOf(object)) : []),
      validateUpdate,
      warnings: (object, previous) =>
        previous === undefined && object.metadata.name !== defaultServiceCidr ? [unused] : [],
      generation: "none",
    },
    subresources: { status: statusPart({ keepMetadata: metadataOfStatus }) },
  };
}

const unused = `services of this server get addresses from the ServiceCIDR "${defaultServiceCidr}" alone`;

const printer = printerOf(
  ServiceCIDR,
  [nameColumn, column("CIDRs", "The ranges."), ageColumn],
  ({ metadata, spec }, now) => [
    metadata?.name,
    (spec?.cidrs ?? []).join(","),
    age(metadata?.creationTimestamp, now),
  ],
);

function rangesOf(object: StoredApiObject): readonly string[] {
  return decodedAs(ServiceCIDR, object).spec?.cidrs ?? [];
}

function rangeErrors(ranges: readonly string[]): FieldError[] {
  const path = fieldPath("spec", "cidrs");
  if (ranges.length === 0) return [fieldRequired(path, "at least one CIDR required")];
  if (ranges.length > 2)
    return [fieldInvalid(path, new Map([["CIDRs", ranges]]), "may only hold up to 2 values")];
  const errors = ranges.flatMap((range, i) => validateCidr(range, path.index(i)));
  const families = ranges.map((range) => range.includes(":"));
  if (errors.length > 0 || ranges.length < 2 || families[0] !== families[1]) return errors;
  return [
    fieldInvalid(
      path,
      ranges,
      "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
    ),
  ];
}

/** A second family may be added, and nothing else. */
function validateUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const [now, before] = [rangesOf(object), rangesOf(previous)];
  const path = fieldPath("spec", "cidrs");
  const isSecond = before.length === 1 && now.length === 2;
  if (!isSecond && now.length !== before.length) return [fieldInvalid(path, now, "field is immutable")];
  return [
    ...before.flatMap((range, i) =>
      range === now[i] ? [] : [fieldInvalid(path.index(i), now[i], "field is immutable")],
    ),
    ...(isSecond ? rangeErrors(now) : []),
  ];
}
