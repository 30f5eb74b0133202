import { CronJob } from "@kedge/machinery/kinds/batch/v1";
import { decodedAs } from "../../registry/decoded.ts";
import { jobSpecWarnings } from "../job/job.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { nameWarnings } from "../workload/warnings.ts";
import { cronJobPrinter } from "./printer.ts";
import { validateCronJob } from "./validation.ts";

/** CronJobs. */
export function cronJobDefinition(): KindDefinition {
  return {
    kind: CronJob,
    printer: cronJobPrinter,
    strategy: {
      validate: validateCronJob,
      warnings: (object, previous) => {
        const spec = decodedAs(CronJob, object).spec ?? {};
        const isNew = previous === undefined || previous.metadata.generation !== object.metadata.generation;
        const path = ["spec", "jobTemplate", "spec"] as const;
        return [
          ...(previous === undefined ? nameWarnings(object) : []),
          ...(isNew ? jobSpecWarnings(spec.jobTemplate?.spec ?? {}, path) : []),
          ...(previous !== undefined && (spec.schedule ?? "").includes("TZ")
            ? [
                "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
              ]
            : []),
        ];
      },
    },
  };
}
