import type { DeepReadonly } from "@kedge/machinery";
import type { ConfigMap, KeyToPath, Secret } from "@kedge/machinery/kinds/core/v1";

/** One file of a volume that is made of objects. */
export interface PayloadFile {
  readonly data: Uint8Array;
  readonly mode: number;
  /** Default: root. */
  readonly owner?: number | undefined;
}

/** Files by their path in the volume. */
export type Payload = ReadonlyMap<string, PayloadFile>;

/** Which keys become files, and under which paths. */
export interface PayloadSelection {
  readonly items?: readonly DeepReadonly<KeyToPath>[] | undefined;
  readonly defaultMode: number;
  readonly optional?: boolean | undefined;
}

/** The mode that files of volumes have when nothing is said. */
export const usualMode = 0o644;

/** A config map's files. Throws a text that says what is missing. */
export function configMapFiles(
  name: string,
  object: DeepReadonly<ConfigMap> | undefined,
  selection: PayloadSelection,
): Payload {
  if (object === undefined) {
    if (selection.optional === true) return new Map();
    throw new Error(`configmap "${name}" not found`);
  }
  const values = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(object.data ?? {})) values.set(key, Buffer.from(text, "utf8"));
  for (const [key, text] of Object.entries(object.binaryData ?? {}))
    values.set(key, Buffer.from(text, "base64"));
  return selectFiles(values, selection, `configmap references non-existent config key`);
}

/** A secret's files. Throws a text that says what is missing, never a value. */
export function secretFiles(
  name: string,
  object: DeepReadonly<Secret> | undefined,
  selection: PayloadSelection,
): Payload {
  if (object === undefined) {
    if (selection.optional === true) return new Map();
    throw new Error(`secret "${name}" not found`);
  }
  const values = new Map(
    Object.entries(object.data ?? {}).map(([key, text]) => [key, Buffer.from(text, "base64")] as const),
  );
  return selectFiles(values, selection, `references non-existent secret key`);
}

function selectFiles(
  values: ReadonlyMap<string, Uint8Array>,
  { items, defaultMode, optional }: PayloadSelection,
  complaint: string,
): Payload {
  if (items === undefined || items.length === 0) {
    return new Map([...values].map(([key, data]) => [key, { data, mode: defaultMode }]));
  }
  const files = new Map<string, PayloadFile>();
  for (const { key, path, mode } of items) {
    const data = values.get(key);
    if (data !== undefined) files.set(path, { data, mode: mode ?? defaultMode });
    else if (optional !== true) throw new Error(`${complaint}: ${key}`);
  }
  return files;
}
