import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { CSIDriver, type TokenRequest } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { repeated } from "../repeated.ts";
import { optionalOneOf } from "../validation/field-rules.ts";

/** What is wrong with a driver by itself. */
export function validateDriver(object: StoredApiObject): FieldError[] {
  const { spec = {} } = decodedAs(CSIDriver, object);
  const {
    tokenRequests = [],
    nodeAllocatableUpdatePeriodSeconds: period,
    serviceAccountTokenInSecrets,
  } = spec;
  const path = fieldPath("spec");
  return [
    ...optionalOneOf(
      spec.fsGroupPolicy,
      ["File", "None", "ReadWriteOnceWithFSType"],
      path.child("fsGroupPolicy"),
    ),
    ...tokenErrors(tokenRequests, path.child("tokenRequests")),
    ...(spec.volumeLifecycleModes ?? []).flatMap((mode) =>
      modes.includes(mode) ? [] : [fieldNotSupported(path.child("volumeLifecycleModes"), mode, modes)],
    ),
    ...(period !== undefined && period < 10
      ? [
          fieldInvalid(
            path.child("nodeAllocatableUpdatePeriodSeconds"),
            period,
            "must be greater than or equal to 10 seconds",
          ),
        ]
      : []),
    ...(serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0
      ? [
          fieldInvalid(
            path.child("serviceAccountTokenInSecrets"),
            serviceAccountTokenInSecrets,
            "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
          ),
        ]
      : []),
  ];
}

const modes = ["Persistent", "Ephemeral"];

function tokenErrors(requests: readonly Decoded<TokenRequest>[], path: FieldPath): FieldError[] {
  const second = repeated(requests, ({ audience = "" }) => audience);
  return requests.flatMap(({ audience = "", expirationSeconds: seconds }, i) => {
    const at = path.index(i);
    if (second.has(i)) return [fieldDuplicate(at.child("audience"), audience)];
    if (seconds === undefined) return [];
    return [
      ...(seconds < 600
        ? [
            fieldInvalid(
              at.child("expirationSeconds"),
              seconds,
              "may not specify a duration less than 10 minutes",
            ),
          ]
        : []),
      ...(seconds > 2 ** 32
        ? [
            fieldInvalid(
              at.child("expirationSeconds"),
              seconds,
              "may not specify a duration larger than 2^32 seconds",
            ),
          ]
        : []),
    ];
  });
}
