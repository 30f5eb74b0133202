import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

const columns = [nameColumn, column("Webhooks", "How many webhooks it has.", { type: "integer" }), ageColumn];

/** `kubectl get mutatingwebhookconfigurations`. */
export const mutatingWebhookPrinter = printerOf(
  MutatingWebhookConfiguration,
  columns,
  ({ metadata, webhooks }, now) => [
    metadata?.name,
    webhooks?.length ?? 0,
    age(metadata?.creationTimestamp, now),
  ],
);

/** `kubectl get validatingwebhookconfigurations`. */
export const validatingWebhookPrinter = printerOf(
  ValidatingWebhookConfiguration,
  columns,
  ({ metadata, webhooks }, now) => [
    metadata?.name,
    webhooks?.length ?? 0,
    age(metadata?.creationTimestamp, now),
  ],
);
