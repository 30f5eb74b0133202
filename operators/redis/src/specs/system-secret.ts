import { controllerReference, type DeepReadonly, type Draft } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "../kind.ts";
import { labelsOf, namesOf } from "../names.ts";
import {
  passwordHash,
  probeUser,
  replicationUser,
  startUser,
  systemPassword,
  systemUserLines,
} from "../users.ts";

/** What is in the Secret of the system. */
export const systemKeys = {
  /** What all its passwords are made from; the operator's alone. */
  key: "key",
  probe: "probe",
  replication: "replication",
  start: "start",
  /** Lines of an ACL file. */
  users: "users",
  /** The passwords of the user `default`, as words of an ACL rule: `#<hash>`, with a blank between several. */
  defaultHashes: "default-hashes",
} as const;

/** What the Secret of the system is made of. */
export interface SystemSecretOptions {
  readonly key: string;
  /** Of the user `default`; none when clients are asked for none. */
  readonly passwords: readonly string[];
}

/** The Secret that operator, replicas and probes log in with. */
export function systemSecretOf(
  owner: DeepReadonly<RedisInstance>,
  options: SystemSecretOptions,
): Draft<Secret> {
  const { namespace, name } = owner.metadata;
  return {
    metadata: {
      namespace,
      name: namesOf(name).systemSecret,
      labels: labelsOf(name),
      ownerReferences: [controllerReference(owner)],
    },
    type: "Opaque",
    data: systemData(options),
  };
}

/** What is in it, in base64. */
export function systemData({ key, passwords }: SystemSecretOptions): Record<string, string> {
  const data = {
    [systemKeys.key]: key,
    [systemKeys.probe]: systemPassword(key, probeUser),
    [systemKeys.replication]: systemPassword(key, replicationUser),
    [systemKeys.start]: systemPassword(key, startUser),
    [systemKeys.users]: systemUserLines(key).join("\n"),
    ...(passwords.length > 0 && {
      [systemKeys.defaultHashes]: passwords.map((password) => `#${passwordHash(password)}`).join(" "),
    }),
  };
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
}
