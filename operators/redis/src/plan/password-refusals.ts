import type { Refusal } from "@kedge/runtime";
import { namesOf, passwordKey, paths } from "../names.ts";
import type { Observed } from "../observe.ts";

/** What is to be said of a password that the servers do not take. They keep the one that they have. */
export function passwordRefusals({ instance, password }: Observed): readonly Refusal[] {
  const { enabled } = instance.spec.auth;
  const why = enabled ? whyRefused({ instance, password }) : undefined;
  return why === undefined ? [] : [{ field: "spec.auth.enabled", message: `asks for ${why}` }];
}

function whyRefused({ instance, password }: Pick<Observed, "instance" | "password">): string | undefined {
  const { namespace, name } = instance.metadata;
  const { authSecret, passwordInUse, primaryPod } = namesOf(name);
  switch (password) {
    case "unusable":
      return `the password in the Secret ${authSecret}, which has no key ${passwordKey} that Redis can take (up to 512 bytes without a quote, a backslash or a line break): set it, or delete the Secret and one is made`;
    case "changed":
      return `the password in the Secret ${authSecret}, which is another one than the servers were given, and changing it is not there yet: they keep theirs. To have it in the Secret again: kubectl delete secret -n ${namespace} ${authSecret}. To give them the new one, with an outage: kubectl delete secret -n ${namespace} ${passwordInUse} && kubectl delete pod -n ${namespace} -l redis.github.com/instance=${name}`;
    case "lost":
      return `the password in the Secret ${authSecret}, which was deleted, and so was ${passwordInUse}: only the servers know it, and none that is restarted can start. To have it again: kubectl create secret generic -n ${namespace} ${authSecret} --from-literal=${passwordKey}="$(kubectl exec -n ${namespace} ${primaryPod} -c redis -- cat ${paths.password})"`;
    default:
      return undefined;
  }
}
