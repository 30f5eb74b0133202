import { controllerReference, type DeepReadonly, type Draft, type Random } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "../kind.ts";
import { labelsOf, namesOf, passwordKey } from "../names.ts";

/** The Secret that clients read, with a password in base64. Created when it is missing, never written again. */
export function authSecretOf(owner: DeepReadonly<RedisInstance>, encoded: string): Draft<Secret> {
  return secretOf(owner, namesOf(owner.metadata.name).authSecret, encoded);
}

/**
 * The Secret that pods take the password from. As it is ours alone, a pod that is restarted has the password of its
 * peers whatever was done to the other Secret, which can be made again from it.
 */
export function passwordInUseOf(owner: DeepReadonly<RedisInstance>, encoded: string): Draft<Secret> {
  return secretOf(owner, namesOf(owner.metadata.name).passwordInUse, encoded);
}

function secretOf(owner: DeepReadonly<RedisInstance>, name: string, encoded: string): Draft<Secret> {
  const { namespace, name: instance } = owner.metadata;
  return {
    metadata: { namespace, name, labels: labelsOf(instance), ownerReferences: [controllerReference(owner)] },
    type: "Opaque",
    data: { [passwordKey]: encoded },
  };
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** 190 bits, and nothing that a shell, a URL or redis.conf would have to quote; in base64. */
export function newPassword(random: Random): string {
  const password = Array.from({ length: 32 }, () => letters.charAt(random.int(letters.length))).join("");
  return Buffer.from(password).toString("base64");
}
