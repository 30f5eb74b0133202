import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { staticNameWarnings } from "../validation/static-name.ts";
import { mutatingWebhookPrinter, validatingWebhookPrinter } from "./printer.ts";
import { validateWebhooks } from "./validation.ts";

/** Configurations of webhooks that change objects. They are asked by `admission/webhooks/`. */
export function mutatingWebhookDefinition(): KindDefinition {
  return { kind: MutatingWebhookConfiguration, printer: mutatingWebhookPrinter, strategy };
}

/** Configurations of webhooks that refuse objects. */
export function validatingWebhookDefinition(): KindDefinition {
  return { kind: ValidatingWebhookConfiguration, printer: validatingWebhookPrinter, strategy };
}

const strategy: KindDefinition["strategy"] = {
  validate: validateWebhooks,
  warnings: staticNameWarnings,
  unconditionalUpdate: false,
};
