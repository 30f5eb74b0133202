import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "@kedge/machinery";
import { StoreError } from "@kedge/store";
import type { AesGcmKey, EncryptionConfig, Provider } from "./types.ts";

/** Turns values into what is stored, and back. */
export interface Transformer {
  /** What is stored in the place of a value. */
  toStore(key: string, value: Uint8Array): Uint8Array;
  /** The value, and whether it would be stored otherwise now. Throws what cannot be read, and names the key that is missing. */
  fromStore(key: string, stored: Uint8Array): { readonly value: Uint8Array; readonly isStale: boolean };
}

/** All that is encrypted begins with it, as in Kubernetes. */
const mark = Buffer.from("k8s:enc:");
const aesGcmMark = "k8s:enc:aesgcm:v1:";
const [nonceBytes, tagBytes] = [12, 16];

/** Makes one of a configuration; without one it only refuses what it cannot read. `root` is where resources are. */
export function createTransformer(
  config: EncryptionConfig | undefined,
  { root, random }: { readonly root: string; readonly random: Random },
): Transformer {
  const entries = config?.entries ?? [];
  const providersFor = (key: string): readonly Provider[] => {
    if (entries.length === 0 || !key.startsWith(root)) return plain;
    return (
      entries.find(({ resources }) => resources.some((name) => isOf(key, root, name)))?.providers ?? plain
    );
  };
  return {
    toStore: (key, value) => {
      const [provider] = providersFor(key);
      return provider?.type === "aesgcm" ? seal(provider, { key, value, random }) : value;
    },
    fromStore: (key, stored) => {
      const providers = providersFor(key);
      if (Buffer.compare(stored.subarray(0, mark.length), mark) !== 0)
        return { value: stored, isStale: providers[0]?.type === "aesgcm" };
      for (const [index, provider] of providers.entries()) {
        if (provider.type !== "aesgcm") continue;
        const head = Buffer.from(`${aesGcmMark}${provider.name}:`);
        if (Buffer.compare(stored.subarray(0, head.length), head) !== 0) continue;
        const sealed = stored.subarray(head.length);
        return { value: unseal(provider, key, sealed), isStale: index > 0 };
      }
      throw unreadable(key, stored);
    },
  };
}

const plain: readonly Provider[] = [{ type: "identity" }];

/** Whether a stored key is of a resource as the configuration names it. */
function isOf(key: string, root: string, name: string): boolean {
  const [first = "", second = ""] = key.slice(root.length).split("/", 2);
  // Groups have a dot or are one of those without; what is below a plural is a namespace or a name.
  const [plural = "", group] = name.split(/\.(.*)/su, 2);
  if (name === "*.*") return true;
  if (group === undefined || group === "") return plural === "*" ? !isGroup(first) : first === plural;
  return first === group && (plural === "*" || second === plural);
}

/** Built-in groups whose names have no dot; all others have one. */
const shortGroups = new Set(["apps", "batch", "autoscaling", "policy", "extensions"]);

function isGroup(part: string): boolean {
  return part.includes(".") || shortGroups.has(part);
}

function seal(
  { name, secret }: AesGcmKey,
  { key, value, random }: { readonly key: string; readonly value: Uint8Array; readonly random: Random },
): Uint8Array {
  const nonce = Buffer.alloc(nonceBytes);
  for (let at = 0; at < nonceBytes; at += 4) nonce.writeUInt32BE(random.int(2 ** 32), at);
  const cipher = createCipheriv(algorithmOf(secret), secret, nonce, { authTagLength: tagBytes });
  // A value is only good where it was written: nobody can put one secret in the place of another.
  cipher.setAAD(Buffer.from(key));
  const sealed = Buffer.concat([cipher.update(value), cipher.final()]);
  return Buffer.concat([Buffer.from(`${aesGcmMark}${name}:`), nonce, sealed, cipher.getAuthTag()]);
}

function unseal({ name, secret }: AesGcmKey, key: string, sealed: Uint8Array): Uint8Array {
  try {
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithmOf(secret), secret, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(key));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch (cause) {
    throw new StoreError(
      "DAMAGED",
      `${key} cannot be decrypted with the key ${JSON.stringify(name)}: it was written with another key of this name, or ` +
        `changed since. Give the encryption configuration with the right key`,
      { cause },
    );
  }
}

function algorithmOf(secret: Uint8Array): "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" {
  if (secret.length === 32) return "aes-256-gcm";
  return secret.length === 24 ? "aes-192-gcm" : "aes-128-gcm";
}

function unreadable(key: string, stored: Uint8Array): StoreError {
  const head = Buffer.from(stored.subarray(0, 300)).toString("latin1");
  const [, provider = "", name = ""] = /^k8s:enc:(\w+):v\d+:([^:]*):/u.exec(head) ?? [];
  return new StoreError(
    "DAMAGED",
    `${key} is encrypted by ${provider} with the key ${JSON.stringify(name)}, which the encryption configuration does not ` +
      `have for it. Give the configuration with that key (--encryption-provider-config)`,
  );
}
