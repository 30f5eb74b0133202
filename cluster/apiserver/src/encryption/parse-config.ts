import { readConfigFile, type ConfigField } from "../config-file/read-config-file.ts";
import type { EncryptionConfig, EncryptionEntry, Provider } from "./types.ts";

/**
 * Reads an EncryptionConfiguration of apiserver.config.k8s.io/v1. Throws what is wrong with it, never with a key in the
 * text. Of the providers it knows `aesgcm` and `identity`; others are refused by name.
 */
export function parseEncryptionConfig(text: string): EncryptionConfig {
  const config = readConfigFile(text, {
    what: "the encryption configuration",
    kind: "EncryptionConfiguration",
    apiVersion: "apiserver.config.k8s.io/v1",
    known: ["resources"],
  });
  const resources = config.get("resources");
  const entries = resources.elements("required").map(entryOf);
  if (entries.length === 0) throw resources.wrong("at least one is needed");
  return { entries };
}

function entryOf(field: ConfigField): EncryptionEntry {
  const entry = field.fields(["resources", "providers"]);
  const resources = entry
    .get("resources")
    .elements("required")
    .map(({ value: name, wrong }) => {
      if (typeof name === "string" && /^(?:\*|[a-z0-9-]+)(?:\.[a-z0-9.*-]*)?$/u.test(name) && name !== "*")
        return name;
      throw wrong("must be like secrets, deployments.apps, *.apps or *.*");
    });
  const providers = entry.get("providers").elements("required").flatMap(providersOf);
  if (resources.length === 0 || providers.length === 0)
    throw field.wrong("needs at least one of resources and of providers");
  const names = providers.flatMap((provider) => (provider.type === "aesgcm" ? [provider.name] : []));
  if (new Set(names).size < names.length) throw field.wrong("two keys have the same name");
  return { resources, providers };
}

/** The keys of one provider are as many of ours. */
function providersOf(field: ConfigField): readonly Provider[] {
  const provider = field.fields();
  const [type = "", ...more] = provider.names;
  if (more.length > 0) throw field.wrong("must have one provider each");
  if (type === "identity") return [{ type }];
  if (type !== "aesgcm") throw provider.get(type).wrong("this server knows aesgcm and identity");
  const keys = provider.get(type).fields().get("keys");
  const read = keys.elements("required").map((each) => ({ type, ...keyOf(each) }) as const);
  if (read.length === 0) throw keys.wrong("at least one is needed");
  return read;
}

function keyOf(field: ConfigField): { readonly name: string; readonly secret: Buffer } {
  const key = field.fields();
  const [{ value: name, wrong }, secret] = [key.get("name"), key.get("secret")];
  if (typeof name !== "string" || !/^[^:\s]+$/u.test(name)) throw wrong("must be a name without colons");
  const bytes = typeof secret.value === "string" ? Buffer.from(secret.value, "base64") : Buffer.alloc(0);
  if (![16, 24, 32].includes(bytes.length))
    throw secret.wrong("must be 16, 24 or 32 bytes in base64 (head -c 32 /dev/urandom | base64)");
  return { name, secret: bytes };
}
