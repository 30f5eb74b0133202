import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  validateDns1123Label,
  validateDns1123Subdomain,
  type FieldError,
} from "@kedge/machinery";
import { ResourceSlice, type ResourceSliceSpec } from "@kedge/machinery/kinds/resource/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { validateDriverName } from "../validation/csi-driver-name.ts";
import { immutable, named } from "../validation/field-rules.ts";
import { validateSet } from "./validate-set.ts";

/** ResourceSlices: the devices that a driver has on a node. */
export function resourceSliceDefinition(): KindDefinition {
  return {
    kind: ResourceSlice,
    printer,
    strategy: {
      validate,
      validateUpdate,
      warnings: (object) => {
        const { driver = "" } = decodedAs(ResourceSlice, object).spec ?? {};
        return driver === driver.toLowerCase()
          ? []
          : [
              `spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`,
            ];
      },
      unknownField: (field) =>
        `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
      selectableFieldNames: ["spec.driver", "spec.nodeName"],
      selectableFields: (object) => {
        const { driver = "", nodeName = "" } = decodedAs(ResourceSlice, object).spec ?? {};
        return { "spec.driver": driver, "spec.nodeName": nodeName };
      },
      deleteAnswersObject: true,
    },
  };
}

const longestPool = 253;
const mostDevices = 128;
/** When devices have taints or share counters. */
const mostSpecialDevices = 64;

function validate(object: StoredApiObject): FieldError[] {
  const { spec = {} } = decodedAs(ResourceSlice, object);
  const path = fieldPath("spec");
  const { name: pool = "", resourceSliceCount = 0, generation = 0 } = spec.pool ?? {};
  const devices = spec.devices ?? [];
  const isSpecial = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length + consumesCounters.length > 0,
  );
  return [
    ...validateDriverName(spec.driver ?? "", path.child("driver")),
    ...poolErrors(pool),
    ...(resourceSliceCount <= 0
      ? [
          fieldInvalid(
            path.child("pool", "resourceSliceCount"),
            resourceSliceCount,
            "must be greater than zero",
          ),
        ]
      : []),
    ...(generation < 0
      ? [fieldInvalid(path.child("pool", "generation"), generation, "must be greater than or equal to zero")]
      : []),
    ...nodeErrors(spec),
    ...validateSet(devices, path.child("devices"), {
      most: isSpecial ? mostSpecialDevices : mostDevices,
      key: ({ name = "" }) => name,
      item: ({ name = "" }, at) => named(name, validateDns1123Label, at.child("name")),
    }),
  ];
}

function poolErrors(pool: string): FieldError[] {
  const path = fieldPath("spec", "pool", "name");
  if (pool === "") return [fieldRequired(path)];
  return [
    ...(pool.length > longestPool ? [fieldTooLong(path, longestPool)] : []),
    ...pool.split("/").flatMap((part) => named(part, validateDns1123Subdomain, path)),
  ];
}

const oneOfNodes =
  "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function nodeErrors(spec: Decoded<ResourceSliceSpec>): FieldError[] {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  const path = fieldPath("spec");
  const set = [
    ...(nodeName === undefined || nodeName === "" ? [] : ["`nodeName`"]),
    ...(nodeSelector === undefined ? [] : ["`nodeSelector`"]),
    ...(allNodes === true ? ["`allNodes`"] : []),
    ...(perDeviceNodeSelection === true ? ["`perDeviceNodeSelection`"] : []),
  ];
  const notFalse = (value: boolean | undefined, field: string): FieldError[] =>
    value === false ? [fieldInvalid(path.child(field), value, "must be either unset or set to true")] : [];
  return [
    ...(nodeName === ""
      ? [fieldInvalid(path.child("nodeName"), nodeName, "must be either unset or set to a non-empty string")]
      : nodeName === undefined
        ? []
        : named(nodeName, validateDns1123Subdomain, path.child("nodeName"))),
    ...notFalse(allNodes, "allNodes"),
    ...notFalse(perDeviceNodeSelection, "perDeviceNodeSelection"),
    ...(set.length === 0 ? [fieldRequired(path, oneOfNodes)] : []),
    ...(set.length > 1
      ? [fieldInvalid(path, `{${set.join(", ")}}`, `${oneOfNodes}, but multiple fields are set`)]
      : []),
  ];
}

function validateUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const [now, before] = [decodedAs(ResourceSlice, object).spec, decodedAs(ResourceSlice, previous).spec];
  const path = fieldPath("spec");
  return [
    ...immutable(now?.pool?.name, before?.pool?.name, path.child("pool", "name")),
    ...immutable(now?.driver, before?.driver, path.child("driver")),
    ...immutable(now?.nodeName, before?.nodeName, path.child("nodeName")),
  ];
}

const printer = printerOf(
  ResourceSlice,
  [
    nameColumn,
    column("Node", "The node that has the devices."),
    column("Driver", "The driver that has them."),
    column("Pool", "The pool that they are of."),
    ageColumn,
  ],
  ({ metadata, spec }, now) => [
    metadata?.name,
    spec?.nodeName ?? "",
    spec?.driver ?? "",
    spec?.pool?.name ?? "",
    age(metadata?.creationTimestamp, now),
  ],
);
