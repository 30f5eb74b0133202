import { controllerReference, type DeepReadonly, type Draft, type Random } from "@kedge/machinery";
import type { Secret } from "@kedge/machinery/kinds/core/v1";
import type { RedisInstance } from "../kind.ts";
import { labelsOf, namesOf, passwordKey } from "../names.ts";

/** The Secret with a new password: created once, never written again. */
export function authSecretOf(owner: DeepReadonly<RedisInstance>, random: Random): Draft<Secret> {
  const { namespace, name } = owner.metadata;
  return {
    metadata: {
      namespace,
      name: namesOf(name).authSecret,
      labels: labelsOf(name),
      ownerReferences: [controllerReference(owner)],
    },
    type: "Opaque",
    stringData: { [passwordKey]: newPassword(random) },
  };
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** 190 bits, and nothing that a shell, a URL or redis.conf would have to quote. */
function newPassword(random: Random): string {
  return Array.from({ length: 32 }, () => letters.charAt(random.int(letters.length))).join("");
}
