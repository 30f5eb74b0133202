import { isControlledBy, type DeepReadonly } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "./kind.ts";
import { namesOf, passwordKey, redisPort } from "./names.ts";

/** How it is with the Secret that applications bind to. */
export type BindingState =
  /** It says what is so. */
  | "there"
  /** It is missing, or says something else. */
  | "stale"
  /** There is nothing to say yet: the servers have no password. */
  | "none";

/** The type of the Secret, as servicebinding.io wants it. */
export const bindingType = "servicebinding.io/redis";

type Instance = DeepReadonly<RedisInstance>;

/** Compares, and hands on nothing but the result. */
export function bindingState(
  instance: Instance,
  { inUse, binding }: Readonly<Record<"inUse" | "binding", DeepReadonly<Secret> | undefined>>,
): BindingState {
  const wanted = bindingData(instance, inUse);
  if (wanted === undefined) return "none";
  if (binding === undefined || !isControlledBy(binding, instance)) return "stale";
  const isSame =
    Object.keys(wanted).length === Object.keys(binding.data ?? {}).length &&
    Object.entries(wanted).every(([key, value]) => binding.data?.[key] === value);
  return isSame ? "there" : "stale";
}

/** What the Secret says, in base64; undefined when a password is asked for and there is none. */
export function bindingData(
  { metadata, spec }: Instance,
  inUse: DeepReadonly<Secret> | undefined,
): Readonly<Record<string, string>> | undefined {
  const host = `${namesOf(metadata.name).service}.${metadata.namespace}.svc`;
  const known = { type: "redis", provider: "kedge", host, port: String(redisPort) };
  if (!spec.auth.enabled) return encoded({ ...known, uri: `redis://${host}:${redisPort}` });
  const password = Buffer.from(inUse?.data?.[passwordKey] ?? "", "base64").toString();
  if (password === "") return undefined;
  const uri = `redis://${user}:${encodeURIComponent(password)}@${host}:${redisPort}`;
  return encoded({ ...known, username: user, password, uri });
}

/** The one that `requirepass` is about. */
const user = "default";

function encoded(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
}
