import { deepEqual, fieldPath } from "@kedge/machinery";
import { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { podSpecWarnings } from "../pod-spec/warnings.ts";
import { dropStatus, keepStatus, statusPart } from "../status.ts";
import { validateWorkloadStatus } from "../workload/status-validation.ts";
import { daemonSetPrinter } from "./printer.ts";
import { validateDaemonSet } from "./validation.ts";

/** DaemonSets. */
export function daemonSetDefinition(): KindDefinition {
  return {
    kind: DaemonSet,
    printer: daemonSetPrinter,
    strategy: {
      prepareForCreate: (object) => {
        dropStatus(object);
        setTemplateGeneration(object, Math.max(1, templateGenerationOf(object)));
      },
      prepareForUpdate: (object, previous) => {
        keepStatus(object, previous);
        const isNew = hasNewTemplate(object, previous);
        setTemplateGeneration(object, templateGenerationOf(previous) + (isNew ? 1 : 0));
      },
      validate: validateDaemonSet,
      warnings: (object, previous) =>
        previous !== undefined && !hasNewTemplate(object, previous)
          ? []
          : podSpecWarnings(
              decodedAs(DaemonSet, object).spec?.template?.spec ?? {},
              fieldPath("spec", "template", "spec"),
            ),
    },
    subresources: {
      status: statusPart({
        prepare: (object, previous) => setTemplateGeneration(object, templateGenerationOf(previous)),
        validateUpdate: validateWorkloadStatus({ counts, ofReplicas: [], readyName: "" }),
      }),
    },
  };
}

const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

/** Counts the templates that a set has had. It was a field before it became an annotation. */
const templateGeneration = "deprecated.daemonset.template.generation";

function templateGenerationOf({ metadata }: StoredApiObject): number {
  const text = metadata.annotations?.[templateGeneration] ?? "";
  return /^\d{1,15}$/u.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(object: ApiObject, generation: number): void {
  object.metadata.annotations = {
    ...object.metadata.annotations,
    [templateGeneration]: String(generation),
  };
}

function hasNewTemplate(object: StoredApiObject, previous: StoredApiObject): boolean {
  return !deepEqual(
    decodedAs(DaemonSet, object).spec?.template,
    decodedAs(DaemonSet, previous).spec?.template,
  );
}
