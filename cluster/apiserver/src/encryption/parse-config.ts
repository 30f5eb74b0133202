import { parse } from "yaml";
import type { EncryptionConfig, EncryptionEntry, Provider } from "./types.ts";

/**
 * Reads an EncryptionConfiguration of apiserver.config.k8s.io/v1. Throws what is wrong with it, never with a key in the
 * text. Of the providers it knows `aesgcm` and `identity`; others are refused by name.
 */
export function parseEncryptionConfig(text: string): EncryptionConfig {
  const config = record(parse(text), "the file");
  if (config["kind"] !== "EncryptionConfiguration" || config["apiVersion"] !== "apiserver.config.k8s.io/v1")
    throw wrong("kind", "must be EncryptionConfiguration of apiserver.config.k8s.io/v1");
  checkNames(config, ["kind", "apiVersion", "resources"], "");
  const entries = list(config["resources"], "resources").map((entry, index) =>
    entryOf(entry, `resources[${index}]`),
  );
  if (entries.length === 0) throw wrong("resources", "at least one is needed");
  return { entries };
}

function entryOf(value: unknown, path: string): EncryptionEntry {
  const entry = record(value, path);
  checkNames(entry, ["resources", "providers"], path);
  const resources = list(entry["resources"], `${path}.resources`).map((name, index) => {
    if (typeof name === "string" && /^(?:\*|[a-z0-9-]+)(?:\.[a-z0-9.*-]*)?$/u.test(name) && name !== "*")
      return name;
    throw wrong(`${path}.resources[${index}]`, "must be like secrets, deployments.apps, *.apps or *.*");
  });
  const providers = list(entry["providers"], `${path}.providers`).flatMap((provider, index) =>
    providersOf(provider, `${path}.providers[${index}]`),
  );
  if (resources.length === 0 || providers.length === 0)
    throw wrong(path, "needs at least one of resources and of providers");
  const names = providers.flatMap((provider) => (provider.type === "aesgcm" ? [provider.name] : []));
  if (new Set(names).size < names.length) throw wrong(path, "two keys have the same name");
  return { resources, providers };
}

/** The keys of one provider are as many of ours. */
function providersOf(value: unknown, path: string): readonly Provider[] {
  const provider = record(value, path);
  const [type = "", ...more] = Object.keys(provider);
  if (more.length > 0) throw wrong(path, "must have one provider each");
  if (type === "identity") return [{ type }];
  if (type !== "aesgcm") throw wrong(`${path}.${type}`, "this server knows aesgcm and identity");
  const keys = list(record(provider["aesgcm"], `${path}.aesgcm`)["keys"], `${path}.aesgcm.keys`);
  if (keys.length === 0) throw wrong(`${path}.aesgcm.keys`, "at least one is needed");
  return keys.map((each, index) => {
    const at = `${path}.aesgcm.keys[${index}]`;
    const { name, secret } = record(each, at);
    if (typeof name !== "string" || !/^[^:\s]+$/u.test(name))
      throw wrong(`${at}.name`, "must be a name without colons");
    const bytes = typeof secret === "string" ? Buffer.from(secret, "base64") : Buffer.alloc(0);
    if (![16, 24, 32].includes(bytes.length))
      throw wrong(`${at}.secret`, "must be 16, 24 or 32 bytes in base64 (head -c 32 /dev/urandom | base64)");
    return { type, name, secret: bytes };
  });
}

function record(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(path, "must be an object");
  return Object.fromEntries(Object.entries(value));
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, "must be a list");
  return value;
}

function checkNames(value: Record<string, unknown>, known: readonly string[], path: string): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw wrong(path === "" ? unknown : `${path}.${unknown}`, "is not known");
}

function wrong(path: string, why: string): Error {
  return new Error(`the encryption configuration is wrong: ${path}: ${why}`);
}
