import { validateDns1123Label } from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject, StoredApiObject, Strategy } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { keep } from "../../registry/keep-fields.ts";
import { keepStatus } from "../status.ts";
import { validateNamespace } from "./validation.ts";
import { namespacePrinter } from "./printer.ts";

/** Namespaces. Their deletion waits for the finalizer of their content in the spec. */
export function namespaceDefinition(): KindDefinition {
  return {
    kind: Namespace,
    printer: namespacePrinter,
    strategy,
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    subresources: {
      finalize: {
        type: "part",
        verbs: ["update"],
        prepareForUpdate: keepStatus,
      },
    },
  };
}

const strategy: Omit<Strategy, "default"> = {
  prepareForCreate,
  prepareForUpdate: (object, previous) => {
    keep(object, previous, ["spec", "status"]);
  },
  validate: validateNamespace,
  nameRule: validateDns1123Label,
  selectableFieldNames: ["status.phase"],
  selectableFields,
  generation: "none",
  prepareForDelete,
  holdsDeletion: (object) => (decodedAs(Namespace, object).spec?.finalizers ?? []).length > 0,
  deleteAnswersObject: true,
};

function prepareForCreate(object: ApiObject): void {
  const namespace = decodedAs(Namespace, object);
  namespace.status = { phase: "Active" };
  const spec = (namespace.spec ??= {});
  const finalizers = spec.finalizers ?? [];
  spec.finalizers = finalizers.includes(contentFinalizer) ? finalizers : [...finalizers, contentFinalizer];
}

/** Removed by the namespace controller when all that was in the namespace is gone. */
const contentFinalizer = "kubernetes";

function selectableFields(object: StoredApiObject): Readonly<Record<string, string>> {
  return { "status.phase": decodedAs(Namespace, object).status?.phase ?? "" };
}

function prepareForDelete(object: ApiObject): void {
  const status = (decodedAs(Namespace, object).status ??= {});
  status.phase = "Terminating";
  // Nobody is given time: it takes as long as it takes.
  delete object.metadata.deletionGracePeriodSeconds;
}
