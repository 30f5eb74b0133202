import {
  fieldInvalid,
  fieldRequired,
  validateDns1035Label,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { named } from "../../kinds/validation/field-rules.ts";
import { validateClientConfig } from "../../kinds/validation/webhook-client.ts";
import type { DefinitionSpec } from "./definition.ts";

type Webhook = NonNullable<DefinitionSpec["conversion"]>["webhook"];

/** What is wrong with the webhook that converts. The server's own form has its parts beside the strategy. */
export function validateConversionWebhook(webhook: Webhook, path: FieldPath): FieldError[] {
  const place = path.child("webhookClientConfig");
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  return [
    ...(clientConfig === undefined
      ? [fieldRequired(place, "required when strategy is set to Webhook")]
      : validateClientConfig(clientConfig, place)),
    ...versionErrors(conversionReviewVersions, path.child("conversionReviewVersions")),
  ];
}

const known = ["v1", "v1beta1"];

function versionErrors(versions: readonly string[], path: FieldPath): FieldError[] {
  if (versions.length === 0) return [fieldRequired(path)];
  return [
    ...versions.flatMap((version, i) =>
      versions.indexOf(version) < i
        ? [fieldInvalid(path.index(i), version, "duplicate version")]
        : named(version, validateDns1035Label, path.index(i)),
    ),
    ...(versions.some((version) => known.includes(version))
      ? []
      : [fieldInvalid(path, versions, `must include at least one of ${known.join(", ")}`)]),
  ];
}
