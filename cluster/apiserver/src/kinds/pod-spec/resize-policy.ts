import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { Container } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with how a container takes new limits. */
export function validateResizePolicy(
  { resizePolicy = [] }: Pick<Decoded<Container>, "resizePolicy">,
  podRestarts: string | undefined,
  path: FieldPath,
): FieldError[] {
  const second = repeated(resizePolicy, ({ resourceName }) => resourceName);
  return resizePolicy.flatMap(({ resourceName = "", restartPolicy = "" }, i) => [
    ...(second.has(i) ? [fieldDuplicate(path.index(i), resourceName)] : []),
    ...knownErrors(resourceName, ["cpu", "memory"], path),
    ...knownErrors(restartPolicy, ["NotRequired", "RestartContainer"], path),
    ...(podRestarts === "Never" && restartPolicy !== "NotRequired"
      ? [fieldInvalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
      : []),
  ]);
}

/** What only containers that go on running may have. */
export function validateInitResizePolicy(
  { resizePolicy = [], restartPolicy }: Pick<Decoded<Container>, "resizePolicy" | "restartPolicy">,
  path: FieldPath,
): FieldError[] {
  if (restartPolicy === "Always") return [];
  return resizePolicy.flatMap(({ restartPolicy: restart }, i) =>
    restart === "RestartContainer"
      ? [
          fieldInvalid(
            path.index(i).child("restartPolicy"),
            restart,
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
      : [],
  );
}

function knownErrors(value: string, known: readonly string[], path: FieldPath): FieldError[] {
  if (value === "") return [fieldRequired(path)];
  return known.includes(value) ? [] : [fieldNotSupported(path, value, known)];
}
