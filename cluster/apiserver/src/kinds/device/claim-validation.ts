import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  validateDns1123Label,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type {
  DeviceClaim,
  DeviceRequest,
  DeviceSelector,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from "@kedge/machinery/kinds/resource/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateDriverName } from "../validation/csi-driver-name.ts";
import { named } from "../validation/field-rules.ts";
import { validateSet } from "./validate-set.ts";

const mostRequests = 32;
const mostAlternatives = 8;
const longestExpression = 10 * 1024;

/** What is wrong with a claim of devices. */
export function validateDeviceClaim(claim: Decoded<DeviceClaim>, path: FieldPath): FieldError[] {
  // Lists may be null.
  const [requests, constraints, config] = [claim.requests ?? [], claim.constraints ?? [], claim.config ?? []];
  const isKnown = (name: string): boolean => {
    const [request, alternative, ...more] = name.split("/");
    const found = requests.find((each) => each.name === request);
    if (found === undefined || more.length > 0) return false;
    return (
      alternative === undefined || (found.firstAvailable ?? []).some((each) => each.name === alternative)
    );
  };
  const references = (names: readonly string[], at: FieldPath): FieldError[] =>
    validateSet(names, at, {
      most: mostRequests,
      key: (name) => name,
      item: (name, each) => [
        ...name.split("/").flatMap((part) => named(part, validateDns1123Label, each)),
        ...(isKnown(name) ? [] : [fieldInvalid(each, name, mustBeRequest)]),
      ],
    });
  return [
    ...validateSet(requests, path.child("requests"), {
      most: mostRequests,
      key: ({ name = "" }) => name,
      item: requestErrors,
    }),
    ...constraints.flatMap((constraint, i) => {
      const at = path.child("constraints").index(i);
      return [
        ...references(constraint.requests ?? [], at.child("requests")),
        ...attributeErrors(constraint.matchAttribute, constraint.distinctAttribute, at),
      ];
    }),
    ...config.flatMap((each, i) => {
      const at = path.child("config").index(i);
      return [
        ...references(each.requests ?? [], at.child("requests")),
        ...validateConfiguration(each.opaque, at),
      ];
    }),
  ];
}

const mustBeRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

const either = "exactly one of `exactly` or `firstAvailable` is required";

function requestErrors(request: Decoded<DeviceRequest>, path: FieldPath): FieldError[] {
  const { name = "", exactly } = request;
  const firstAvailable = request.firstAvailable ?? [];
  const errors = named(name, validateDns1123Label, path.child("name"));
  if (exactly === undefined && firstAvailable.length === 0) return [...errors, fieldRequired(path, either)];
  if (exactly !== undefined && firstAvailable.length > 0)
    return [...errors, fieldInvalid(path, null, `${either}, but multiple fields are set`)];
  if (exactly !== undefined) return [...errors, ...exactErrors(exactly, path.child("exactly"))];
  return [
    ...errors,
    ...validateSet(firstAvailable, path.child("firstAvailable"), {
      most: mostAlternatives,
      key: (each) => each.name ?? "",
      item: (each, at) => [
        ...named(each.name ?? "", validateDns1123Label, at.child("name")),
        ...exactErrors(each, at),
      ],
    }),
  ];
}

function exactErrors(request: Decoded<ExactDeviceRequest>, path: FieldPath): FieldError[] {
  const { deviceClassName = "", allocationMode = "", count = 0 } = request;
  const selectors = request.selectors ?? [];
  return [
    ...(deviceClassName === ""
      ? [fieldRequired(path.child("deviceClassName"))]
      : named(deviceClassName, validateDns1123Subdomain, path.child("deviceClassName"))),
    ...validateDeviceSelectors(selectors, path.child("selectors")),
    ...modeErrors(allocationMode, count, path),
  ];
}

function modeErrors(mode: string, count: number, path: FieldPath): FieldError[] {
  if (mode === "All")
    return count === 0
      ? []
      : [fieldInvalid(path.child("count"), count, "must not be specified when allocationMode is 'All'")];
  if (mode === "ExactCount")
    return count > 0 ? [] : [fieldInvalid(path.child("count"), count, "must be greater than zero")];
  return [fieldNotSupported(path.child("allocationMode"), mode, ["All", "ExactCount"])];
}

/** What is wrong with selectors of devices. What their expressions say is for who allocates. */
export function validateDeviceSelectors(
  selectors: readonly Decoded<DeviceSelector>[],
  path: FieldPath,
): FieldError[] {
  if (selectors.length > mostRequests) return [fieldTooMany(path, selectors.length, mostRequests)];
  return selectors.flatMap(({ cel }, i) => {
    const at = path.index(i).child("cel");
    if (cel === undefined) return [fieldRequired(at)];
    const { expression = "" } = cel;
    return Buffer.byteLength(expression) > longestExpression
      ? [fieldTooLong(at.child("expression"), longestExpression)]
      : [];
  });
}

/** What is wrong with the configuration that a driver gets. */
export function validateConfiguration(
  opaque: Decoded<OpaqueDeviceConfiguration> | undefined,
  path: FieldPath,
): FieldError[] {
  if (opaque === undefined) return [fieldRequired(path.child("opaque"))];
  const at = path.child("opaque");
  return [
    ...validateDriverName(opaque.driver ?? "", at.child("driver")),
    ...((opaque.parameters ?? null) === null ? [fieldRequired(at.child("parameters"))] : []),
  ];
}

function attributeErrors(
  match: string | undefined,
  distinct: string | undefined,
  path: FieldPath,
): FieldError[] {
  const [field, name] =
    match === undefined ? (["distinctAttribute", distinct] as const) : (["matchAttribute", match] as const);
  if (name === undefined)
    return [
      fieldRequired(
        path,
        'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      ),
    ];
  return name.includes("/") ? [] : [fieldInvalid(path.child(field), name, "must include a domain")];
}
