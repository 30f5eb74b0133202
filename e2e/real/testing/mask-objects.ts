import type { ManagedFieldsEntry, OwnerReference } from "@kedge/machinery";
import { generatedNamesIn } from "../../differential/transcript/identify.ts";
import { compareTexts } from "../../differential/transcript/shape.ts";

/** An object as a server gave it, with its kind. */
export interface RawObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generateName?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly ManagedFieldsEntry[];
  };
  readonly [field: string]: unknown;
}

/**
 * Puts symbols in the place of what servers and controllers generate, and of nothing else: uids, versions, times,
 * addresses and ports of Services, endings of generated names, hashes of templates, certificates, secrets. A uid or an
 * address becomes the name of the object that has it, so that references are still compared.
 */
export function maskObjects(objects: readonly RawObject[]): readonly RawObject[] {
  const mask = masking(objects);
  return objects.map((object) => maskAny(object, "", mask) as RawObject);
}

type Mask = (text: string, key: string) => string;

function maskAny(value: unknown, key: string, mask: Mask): unknown {
  if (typeof value === "number") return key === "nodePort" ? "<nodePort>" : value;
  if (typeof value === "string") return mask(value, key);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return maskList(value, key, mask);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [mask(name, ""), maskAny(item, name, mask)]),
  );
}

function maskList(list: readonly unknown[], key: string, mask: Mask): unknown {
  const items = list.map((item) => maskAny(item, "", mask));
  // The server sorts managers by the second of their last write.
  if (key === "managedFields") return Object.fromEntries(items.map((item) => [managerOf(item), item]));
  // In the order in which they came to be.
  if (key === "conditions") return Object.fromEntries(items.map((item) => [typeOf(item), item]));
  // In the order of the controller's map, or of addresses, which are masked.
  if (["endpoints", "addresses", "notReadyAddresses"].includes(key))
    return items.toSorted((one, other) => compareTexts(JSON.stringify(one), JSON.stringify(other)));
  return items;
}

function typeOf(condition: unknown): string {
  return String((condition as Readonly<Record<string, unknown>>)["type"]);
}

function managerOf(entry: unknown): string {
  const { manager, operation, apiVersion, subresource } = entry as Readonly<Record<string, unknown>>;
  return JSON.stringify([manager, operation, apiVersion, subresource]);
}

function masking(objects: readonly RawObject[]): Mask {
  const replaced = new Map<string, string>();
  for (const object of objects)
    for (const hash of hashesOf(object)) replaced.set(hash, `<hash of revision ${revisionOf(object)}>`);
  for (const { name, prefix } of generatedNamesIn(objects)) replaced.set(name, `${prefix}<suffix>`);
  const named = (text: string): string => {
    let masked = text;
    // The names of pods before the hashes that are a part of them.
    for (const [value, symbol] of [...replaced].toReversed()) masked = masked.replaceAll(value, symbol);
    return masked;
  };
  const uids = new Map<string, string>();
  const addresses = new Map<string, string>();
  const secrets = new Set<string>();
  for (const object of objects) {
    const owner = named(`${object.kind} ${object.metadata.name}`);
    uids.set(object.metadata.uid, `<uid of ${owner}>`);
    for (const address of addressesOf(object)) addresses.set(address, `<address of ${owner}>`);
    if (object.kind !== "Secret") continue;
    for (const value of Object.values(object["data"] ?? {})) secrets.add(String(value));
  }
  return (text, key) => {
    if (key === "resourceVersion") return "<version>";
    if (secrets.has(text)) return "<secret>";
    let masked = text.replaceAll(ipAddress, (address) => addresses.get(address) ?? address);
    for (const [uid, symbol] of uids) masked = masked.replaceAll(uid, symbol);
    for (const [pattern, symbol] of patterns) masked = masked.replaceAll(pattern, symbol);
    // Also of pods that are gone by now.
    return named(masked).replaceAll(/(<hash of revision \d+>-)[a-z\d]{5}\b/gu, "$1<suffix>");
  };
}

const ipAddress = /\b\d{1,3}(?:\.\d{1,3}){3}\b/gu;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]+-----[^]+?-----END [A-Z ]+-----\n?/gu, "<certificate>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/gu, "<time>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/gu, "<microtime>"],
  [/\bkube-api-access-[a-z\d]{5}\b/gu, "kube-api-access-<suffix>"],
];

/** What stands for the content of a template, in names and in labels. */
function hashesOf({ kind, metadata: { labels } }: RawObject): readonly string[] {
  if (kind === "ReplicaSet") return [labels?.["pod-template-hash"] ?? []].flat();
  if (kind !== "ControllerRevision") return [];
  // Of a stateful set, and of a daemon set.
  return [labels?.["controller.kubernetes.io/hash"] ?? labels?.["controller-revision-hash"] ?? []].flat();
}

function revisionOf({ metadata, revision }: RawObject): string {
  if (typeof revision === "number") return `${revision}`;
  return metadata.annotations?.["deployment.kubernetes.io/revision"] ?? "";
}

function addressesOf({ spec, status }: RawObject): readonly string[] {
  const { clusterIP } = (spec ?? {}) as Readonly<Record<string, unknown>>;
  const { podIP } = (status ?? {}) as Readonly<Record<string, unknown>>;
  return [clusterIP, podIP].filter(
    (address) => typeof address === "string" && address !== "None",
  ) as string[];
}
