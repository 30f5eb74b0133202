import {
  fieldPath,
  parseQuantity,
  quantityMilliValue,
  validateDns1123Label,
  type FieldPath,
} from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Container, PodAffinity, PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { claimSpecWarnings } from "../persistent-volume-claim/warnings.ts";
import { portWarnings, type PlacedContainer } from "./container-ports.ts";
import { overlappingPaths } from "./volume-paths.ts";
import { repeated } from "../repeated.ts";

/** What is odd about a new pod. Updates of pods are too many to look at each. */
export function podWarnings(
  object: StoredApiObject,
  previous: StoredApiObject | undefined,
): readonly string[] {
  if (previous !== undefined) return [];
  const faults = validateDns1123Label(object.metadata.name ?? "");
  const name = `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`;
  return [
    ...(faults.length === 0 ? [] : [name]),
    ...podSpecWarnings(decodedAs(Pod, object).spec ?? {}, fieldPath("spec")),
  ];
}

/** What is odd about the spec of a pod, or of a template for pods. */
export function podSpecWarnings(spec: Decoded<PodSpec>, path: FieldPath): readonly string[] {
  const placed = placedContainers(spec, path);
  const secrets = (spec.imagePullSecrets ?? []).map(({ name = "" }) => name);
  const secondSecrets = repeated(secrets, (name) => name);
  const aliases = (spec.hostAliases ?? []).map(({ ip = "" }) => ip);
  const secondAliases = repeated(aliases, (ip) => ip);
  return [
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ labelSelector }, i) =>
      selectsNothing(labelSelector, path.child("topologySpreadConstraints").index(i)),
    ),
    ...(spec.volumes ?? []).flatMap(({ ephemeral }, i) =>
      claimSpecWarnings(
        ephemeral?.volumeClaimTemplate?.spec,
        path.child("volumes").index(i).child("ephemeral", "volumeClaimTemplate", "spec"),
      ),
    ),
    ...overlappingPaths(spec.volumes ?? []),
    ...aliases.flatMap((ip, i) =>
      secondAliases.has(i)
        ? [`${path.child("hostAliases").index(i).child("ip").toString()}: duplicate ip ${JSON.stringify(ip)}`]
        : [],
    ),
    ...secrets.flatMap((name, i) =>
      secretWarnings(name, secondSecrets.has(i), path.child("imagePullSecrets").index(i)),
    ),
    ...placed.flatMap(({ container, at }) => [
      ...fractions(container, at),
      ...hiddenVariables(container, at),
    ]),
    ...portWarnings(placed),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${path.child("terminationGracePeriodSeconds").toString()}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...(["podAffinity", "podAntiAffinity"] as const).flatMap((kind) =>
      affinityWarnings(spec.affinity?.[kind], path.child("affinity", kind)),
    ),
  ];
}

function affinityWarnings(affinity: Decoded<PodAffinity> | undefined, path: FieldPath): string[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = affinity ?? {};
  return [
    ...(required ?? []).flatMap(({ labelSelector }, i) =>
      selectsNothing(labelSelector, path.child("requiredDuringSchedulingIgnoredDuringExecution").index(i)),
    ),
    ...(preferred ?? []).flatMap(({ podAffinityTerm }, i) =>
      selectsNothing(
        podAffinityTerm?.labelSelector,
        path.child("preferredDuringSchedulingIgnoredDuringExecution").index(i).child("podAffinityTerm"),
      ),
    ),
  ];
}

function selectsNothing(selector: unknown, at: FieldPath): string[] {
  if (selector !== undefined) return [];
  return [`${at.child("labelSelector").toString()}: a null labelSelector results in matching no pod`];
}

function secretWarnings(name: string, isSecond: boolean, at: FieldPath): string[] {
  const path = at.child("name").toString();
  return [
    ...(isSecond ? [`${path}: duplicate name ${JSON.stringify(name)}`] : []),
    ...(name === "" ? [`${path}: invalid empty name ""`] : []),
  ];
}

function placedContainers(spec: Decoded<PodSpec>, path: FieldPath): readonly PlacedContainer[] {
  return (["initContainers", "containers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, i) => ({ container, at: path.child(list).index(i) })),
  );
}

function fractions({ resources }: Decoded<Container>, at: FieldPath): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) =>
    (["limits", "requests"] as const).flatMap((list) => {
      const amount = resources?.[list]?.[name];
      if (amount === undefined || quantityMilliValue(parseQuantity(amount)) % 1000n === 0n) return [];
      const path = at.child("resources", list).key(name).toString();
      return [`${path}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
    }),
  );
}

/** A variable may be built upon its previous value; else that is lost. */
function hiddenVariables({ env = [] }: Decoded<Container>, at: FieldPath): string[] {
  const second = repeated(env, ({ name }) => name);
  return env.flatMap(({ name = "", value = "", valueFrom }, i) => {
    if (!second.has(i)) return [];
    const reference = `$(${name})`;
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return [];
    const path = at.child("env").index(i).toString();
    return [
      `${path}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}
