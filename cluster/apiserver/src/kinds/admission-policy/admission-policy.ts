import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { metadataOfStatus, statusPart } from "../status.ts";
import { staticNameWarnings } from "../validation/static-name.ts";
import { validateMutatingBinding, validateValidatingBinding } from "./binding-validation.ts";
import {
  mutatingBindingPrinter,
  mutatingPolicyPrinter,
  validatingBindingPrinter,
  validatingPolicyPrinter,
} from "./printer.ts";
import { validatePolicyStatus } from "./status-validation.ts";
import { validateMutatingPolicy, validateValidatingPolicy } from "./validation.ts";

const shared = { warnings: staticNameWarnings, unconditionalUpdate: false };

/** Policies of admission and their bindings. They are asked by `admission/policies/`. */
export function admissionPolicyDefinitions(): readonly KindDefinition[] {
  return [
    {
      kind: ValidatingAdmissionPolicy,
      printer: validatingPolicyPrinter,
      strategy: { ...shared, validate: validateValidatingPolicy },
      subresources: {
        status: statusPart({ keepMetadata: metadataOfStatus, validateUpdate: validatePolicyStatus }),
      },
    },
    {
      kind: ValidatingAdmissionPolicyBinding,
      printer: validatingBindingPrinter,
      strategy: { ...shared, validate: validateValidatingBinding },
    },
    {
      kind: MutatingAdmissionPolicy,
      printer: mutatingPolicyPrinter,
      strategy: { ...shared, validate: validateMutatingPolicy },
    },
    {
      kind: MutatingAdmissionPolicyBinding,
      printer: mutatingBindingPrinter,
      strategy: { ...shared, validate: validateMutatingBinding },
    },
  ];
}
