import { authorizerType, resourceCheckType } from "../cel/library/authorization.ts";
import { fn, texts } from "../cel/library/declare.ts";
import { allFunctions, namedTypes } from "../cel/library/library.ts";
import type { Environment } from "../cel/values/environment.ts";
import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  opaqueType,
  stringType,
  structType,
  timestampType,
  type CelType,
} from "../cel/values/types.ts";

/** What an expression of admission may name beside the objects and the request. */
export interface Names {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether it may make objects and patches. */
  readonly patches?: boolean | undefined;
  /** The types of the variables before it; undefined where there are none. */
  readonly variables?: ReadonlyMap<string, CelType> | undefined;
}

/** What expressions of admission know. */
export function admissionEnvironment({ params, authorizer, patches, variables }: Names): Environment {
  return {
    functions: patches === true ? patchFunctions() : allFunctions(),
    types: namedTypes,
    variables: new Map([
      ["object", dynType],
      ["oldObject", dynType],
      ["namespaceObject", structType("kubernetes.Namespace")],
      ["request", structType("kubernetes.AdmissionRequest")],
      ...(params ? [["params", dynType] as const] : []),
      ...(authorizer
        ? ([
            ["authorizer", authorizerType],
            ["authorizer.requestResource", resourceCheckType],
          ] as const)
        : []),
      ...(variables === undefined ? [] : [["variables", variablesType] as const]),
    ]),
    fieldOf: (struct, field) =>
      struct === variablesType.name ? variables?.get(field) : fieldOf(struct, field),
    ...(patches === true && { structOf }),
  };
}

const variablesType = structType("kubernetes.variables");

/** The type of a patch. */
export const jsonPatchType = structType("JSONPatch");

/** The type of what is applied. */
export const objectType = structType("Object");

/** Of fields that patches do not have: nothing fits it, and it is shown as nothing, as by the real server. */
const noType = opaqueType("");

function structOf(name: string): CelType | undefined {
  if (name === jsonPatchType.name) return jsonPatchType;
  return isObject(name) ? structType(name) : undefined;
}

/** `Object.spec` is the type of the field `spec`, and so on. */
function isObject(name: string): boolean {
  return name === objectType.name || name.startsWith(`${objectType.name}.`);
}

function fieldOf(struct: string, field: string): CelType | undefined {
  if (isObject(struct)) return dynType;
  return structs.get(struct)?.get(field) ?? (struct === jsonPatchType.name ? noType : undefined);
}

let withPatches: Environment["functions"] | undefined;

function patchFunctions(): Environment["functions"] {
  withPatches ??= new Map([
    ...allFunctions(),
    [
      "jsonpatch.escapeKey",
      [
        fn(
          "jsonpatch.escapeKey",
          "string_jsonpatch_escapeKey_string",
          [stringType, stringType],
          texts((key = "") => key.replaceAll("~", "~0").replaceAll("/", "~1")),
        ),
      ],
    ],
  ]);
  return withPatches;
}

const textList = listOf(stringType);
const labels = mapOf(stringType, stringType);

function fields(types: Readonly<Record<string, CelType>>): ReadonlyMap<string, CelType> {
  return new Map(Object.entries(types));
}

const groupVersionKind = structType("kubernetes.GroupVersionKind");
const groupVersionResource = structType("kubernetes.GroupVersionResource");

/** The fields that may be named of what is not dynamic. */
const structs: ReadonlyMap<string, ReadonlyMap<string, CelType>> = new Map([
  ["JSONPatch", fields({ op: stringType, path: stringType, from: stringType, value: dynType })],
  [
    "kubernetes.AdmissionRequest",
    fields({
      kind: groupVersionKind,
      resource: groupVersionResource,
      subResource: stringType,
      requestKind: groupVersionKind,
      requestResource: groupVersionResource,
      requestSubResource: stringType,
      name: stringType,
      namespace: stringType,
      operation: stringType,
      userInfo: structType("kubernetes.UserInfo"),
      dryRun: boolType,
      options: dynType,
    }),
  ],
  [groupVersionKind.name, fields({ group: stringType, version: stringType, kind: stringType })],
  [groupVersionResource.name, fields({ group: stringType, version: stringType, resource: stringType })],
  [
    "kubernetes.UserInfo",
    fields({ username: stringType, uid: stringType, groups: textList, extra: mapOf(stringType, textList) }),
  ],
  [
    "kubernetes.Namespace",
    fields({
      metadata: structType("kubernetes.NamespaceMetadata"),
      spec: structType("kubernetes.NamespaceSpec"),
      status: structType("kubernetes.NamespaceStatus"),
    }),
  ],
  ["kubernetes.NamespaceSpec", fields({ finalizers: textList })],
  [
    "kubernetes.NamespaceStatus",
    fields({ conditions: listOf(structType("kubernetes.NamespaceCondition")), phase: stringType }),
  ],
  [
    "kubernetes.NamespaceCondition",
    fields({
      status: stringType,
      type: stringType,
      lastTransitionTime: timestampType,
      message: stringType,
      reason: stringType,
    }),
  ],
  [
    "kubernetes.NamespaceMetadata",
    fields({
      name: stringType,
      generateName: stringType,
      namespace: stringType,
      labels,
      annotations: labels,
      UID: stringType,
      creationTimestamp: timestampType,
      deletionGracePeriodSeconds: intType,
      deletionTimestamp: timestampType,
      generation: intType,
      resourceVersion: stringType,
      finalizers: textList,
    }),
  ],
]);
