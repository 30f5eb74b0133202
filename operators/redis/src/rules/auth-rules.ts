import type { Refusal } from "@kedge/runtime";
import type { InstanceSpec } from "../kind.ts";
import { namesOf } from "../names.ts";

/** A Secret that the operator writes itself cannot say which password it is to write there. */
export function authRefusals(instance: string, { auth }: Pick<InstanceSpec, "auth">): readonly Refusal[] {
  const { passwordInUse, systemSecret, binding } = namesOf(instance);
  const name = auth.secretRef?.name;
  if (name === undefined || ![passwordInUse, systemSecret, binding].includes(name)) return [];
  return [
    {
      field: "spec.auth.secretRef.name",
      message: `is ${name}, which the operator writes itself: name a Secret of yours`,
    },
  ];
}
