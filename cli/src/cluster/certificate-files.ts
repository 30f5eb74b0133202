import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "@kedge/machinery";
import { writeWhole } from "@kedge/network/write-whole";
import type { CertificateWithKey } from "@kedge/pki";
import type { ClusterFolder } from "./cluster-folder.ts";

/** Where a certificate of the cluster is, and its key, without the ending. */
export function fileOf(folder: ClusterFolder, name: string): string {
  return join(folder.certificates, name);
}

/** Undefined when there is none, or only a half of one. */
export async function readPair(folder: ClusterFolder, name: string): Promise<CertificateWithKey | undefined> {
  const [certificate, key] = await Promise.all(
    ["crt", "key"].map((ending) => readPem(`${fileOf(folder, name)}.${ending}`)),
  );
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

async function readPem(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (text === undefined || isPem(text)) return text;
  throw new Error(
    `${path} is damaged. Put it back, or delete the folder ${dirname(path)}: \`kedge up\` makes new certificates, ` +
      `and kubeconfigs that were copied elsewhere must be copied again.`,
  );
}

function isPem(text: string): boolean {
  try {
    return text.includes("PRIVATE KEY")
      ? createPrivateKey(text).type === "private"
      : new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

/** Writes both, the key for its owner only. */
export async function writePair(
  folder: ClusterFolder,
  name: string,
  pair: CertificateWithKey,
): Promise<void> {
  await writeWhole(`${fileOf(folder, name)}.key`, pair.key, { mode: 0o600 });
  await writeWhole(`${fileOf(folder, name)}.crt`, pair.certificate);
}

/** Reads a key without a certificate; undefined when there is none. */
export async function readKey(folder: ClusterFolder, name: string): Promise<string | undefined> {
  return await readPem(`${fileOf(folder, name)}.key`);
}

/** Writes it, for its owner only. */
export async function writeKey(folder: ClusterFolder, name: string, key: string): Promise<void> {
  await writeWhole(`${fileOf(folder, name)}.key`, key, { mode: 0o600 });
}

/** Reads a pair that must be there. */
export async function pairOf(folder: ClusterFolder, name: string): Promise<CertificateWithKey> {
  return (await readPair(folder, name)) ?? missing(folder, name);
}

/** Reads a certificate that must be there, without its key. */
export async function certificateOf(folder: ClusterFolder, name: string): Promise<string> {
  return (await readPem(`${fileOf(folder, name)}.crt`)) ?? missing(folder, name);
}

/** Reads a key without a certificate that must be there. */
export async function keyOf(folder: ClusterFolder, name: string): Promise<string> {
  return (await readKey(folder, name)) ?? missing(folder, name);
}

function missing(folder: ClusterFolder, name: string): never {
  throw new Error(`${folder.certificates}: the certificate ${name} is missing; run \`kedge up\``);
}
