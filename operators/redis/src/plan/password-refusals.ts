import type { Refusal } from "@kedge/runtime";
import { namesOf, passwordKey } from "../names.ts";
import type { Observed } from "../observe.ts";
import { passwordSource } from "../password.ts";
import { authRefusals } from "../rules/auth-rules.ts";

/** What is to be said of a password that the servers do not take. They keep the one that they have. */
export function passwordRefusals({ instance, password }: Observed): readonly Refusal[] {
  const { metadata, spec } = instance;
  if (!spec.auth.enabled) return authRefusals(metadata.name, spec);
  const why = whyRefused({ instance, password });
  const field = passwordSource(instance).isGiven ? "spec.auth.secretRef" : "spec.auth.enabled";
  return [
    ...authRefusals(metadata.name, spec),
    ...(why === undefined ? [] : [{ field, message: `asks for ${why}` }]),
  ];
}

/** What a server takes. */
const takes = "that Redis can take (up to 512 bytes without a quote, a backslash or a line break)";

function whyRefused({ instance, password }: Pick<Observed, "instance" | "password">): string | undefined {
  const { namespace, name } = instance.metadata;
  const { authSecret, passwordInUse } = namesOf(name);
  const { secret, key, isGiven } = passwordSource(instance);
  if (isGiven && (password === "unusable" || password === "spoilt")) {
    const state = password === "spoilt" ? "the servers keep theirs until it is" : "no server starts before";
    return `the password in the key ${key} of the Secret ${secret}, which is not there, or has none ${takes}: make it, and the servers get it at once; ${state}`;
  }
  switch (password) {
    case "unusable":
      return `the password in the Secret ${authSecret}, which has no key ${passwordKey} ${takes}: set it, or delete the Secret and one is made`;
    case "spoilt":
      return `the password in the Secret ${authSecret}, which has no key ${passwordKey} ${takes}, so that the servers keep theirs: set another one, or have theirs in the Secret again: kubectl delete secret -n ${namespace} ${authSecret}`;
    case "lost":
      return `the password in the Secret ${authSecret}, which was deleted, and so was ${passwordInUse}: only clients know it. To give the servers another one: kubectl create secret generic -n ${namespace} ${authSecret} --from-literal=${passwordKey}=…`;
    default:
      return undefined;
  }
}
