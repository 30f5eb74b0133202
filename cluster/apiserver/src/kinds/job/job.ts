import { fieldPath } from "@kedge/machinery";
import { Job, type JobSpec } from "@kedge/machinery/kinds/batch/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { podSpecWarnings } from "../pod-spec/warnings.ts";
import { dropStatus, statusPart } from "../status.ts";
import { nameWarnings } from "../workload/warnings.ts";
import { generateSelector } from "./generated-selector.ts";
import { jobPrinter } from "./printer.ts";
import { validateJobStatus } from "./status-validation.ts";
import { validateJob, validateJobUpdate } from "./validation.ts";

/** Jobs. */
export function jobDefinition(): KindDefinition {
  return {
    kind: Job,
    printer: jobPrinter,
    strategy: {
      prepareForCreate: (object) => {
        dropStatus(object);
        generateSelector(object);
      },
      validate: validateJob,
      validateUpdate: validateJobUpdate,
      warnings: (object, previous) => {
        if (previous !== undefined && previous.metadata.generation === object.metadata.generation) return [];
        return [
          ...(previous === undefined ? nameWarnings(object) : []),
          ...jobSpecWarnings(decodedAs(Job, object).spec ?? {}, ["spec"]),
        ];
      },
      selectableFields: (object) => ({ "status.successful": String(succeededOf(object)) }),
      unknownField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
      selectableFieldNames: ["status.successful"],
      // Pods outlived their job before there was a garbage collector; who deletes may say otherwise.
      orphansByDefault: {
        warning:
          "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
      },
    },
    subresources: { status: statusPart({ validateUpdate: validateJobStatus }) },
  };
}

/** What is odd about the spec of a job. */
export function jobSpecWarnings(spec: Decoded<JobSpec>, path: readonly [string, ...string[]]): string[] {
  const at = fieldPath(...path);
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  const isHuge = completionMode === "Indexed" && completions > 100_000 && parallelism > 10_000;
  return [
    ...(isHuge
      ? [
          `${String(at)}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...podSpecWarnings(spec.template?.spec ?? {}, at.child("template", "spec")),
  ];
}

function succeededOf(object: StoredApiObject): number {
  return decodedAs(Job, object).status?.succeeded ?? 0;
}
