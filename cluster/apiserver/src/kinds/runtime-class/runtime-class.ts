import {
  fieldDuplicate,
  fieldPath,
  validateDns1123Label,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { RuntimeClass, type Scheduling } from "@kedge/machinery/kinds/node/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { validateResources } from "../pod-spec/resources.ts";
import { validateTolerations } from "../pod-spec/toleration.ts";
import { repeated } from "../repeated.ts";
import { immutable, named, required, validLabels } from "../validation/field-rules.ts";

/** RuntimeClasses. What they do to pods: `admission/runtime-class.ts`. */
export function runtimeClassDefinition(): KindDefinition {
  return {
    kind: RuntimeClass,
    printer,
    strategy: {
      validate,
      validateUpdate: (object, previous) =>
        immutable(object["handler"], previous["handler"], fieldPath("handler")),
      generation: "none",
    },
  };
}

const printer = printerOf(
  RuntimeClass,
  [nameColumn, column("Handler", "What runs its pods."), ageColumn],
  ({ metadata, handler }, now) => [metadata?.name, handler ?? "", age(metadata?.creationTimestamp, now)],
);

function validate(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  // Updates are checked by `validateUpdate` alone, as Kubernetes does.
  if (previous !== undefined) return [];
  const { handler = "", overhead, scheduling } = decodedAs(RuntimeClass, object);
  const missing = required(handler, fieldPath("handler"));
  return [
    ...missing,
    ...(missing.length > 0 ? [] : named(handler, validateDns1123Label, fieldPath("handler"))),
    ...(overhead === undefined
      ? []
      : validateResources({ limits: overhead.podFixed }, fieldPath("overhead"))),
    ...(scheduling === undefined ? [] : schedulingErrors(scheduling, fieldPath("scheduling"))),
  ];
}

function schedulingErrors(
  { nodeSelector, tolerations = [] }: Decoded<Scheduling>,
  path: FieldPath,
): FieldError[] {
  const at = path.child("tolerations");
  const second = repeated(tolerations, ({ key, operator, value, effect }) =>
    JSON.stringify([key, operator, value, effect]),
  );
  return [
    ...validLabels(nodeSelector, path.child("nodeSelector")),
    ...validateTolerations(tolerations, at),
    ...tolerations.flatMap((toleration, i) =>
      second.has(i) ? [fieldDuplicate(at.index(i), toleration)] : [],
    ),
  ];
}
