import type { Refusal } from "@kedge/runtime";
import { namesOf, passwordKey } from "../names.ts";
import type { Observed } from "../observe.ts";

/** What is to be said of a password that the servers do not take. They keep the one that they have. */
export function passwordRefusals({ instance, password }: Observed): readonly Refusal[] {
  const { enabled } = instance.spec.auth;
  const why = enabled ? whyRefused({ instance, password }) : undefined;
  return why === undefined ? [] : [{ field: "spec.auth.enabled", message: `asks for ${why}` }];
}

function whyRefused({ instance, password }: Pick<Observed, "instance" | "password">): string | undefined {
  const { namespace, name } = instance.metadata;
  const { authSecret, passwordInUse } = namesOf(name);
  switch (password) {
    case "unusable":
      return `the password in the Secret ${authSecret}, which has no key ${passwordKey} that Redis can take (up to 512 bytes without a quote, a backslash or a line break): set it, or delete the Secret and one is made`;
    case "spoilt":
      return `the password in the Secret ${authSecret}, which has no key ${passwordKey} that Redis can take (up to 512 bytes without a quote, a backslash or a line break), so that the servers keep theirs: set another one, or have theirs in the Secret again: kubectl delete secret -n ${namespace} ${authSecret}`;
    case "lost":
      return `the password in the Secret ${authSecret}, which was deleted, and so was ${passwordInUse}: only clients know it. To give the servers another one: kubectl create secret generic -n ${namespace} ${authSecret} --from-literal=${passwordKey}=…`;
    default:
      return undefined;
  }
}
