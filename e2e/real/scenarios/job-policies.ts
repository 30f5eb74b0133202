import { formatTime, realClock } from "@kedge/machinery";
import type { Scenario } from "../testing/workload-stages.ts";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { endAll, indexed, make, onCode, onDisruption, policy, untilSaid, untilStatus } from "./job-steps.ts";

/** Jobs: limits for each index, policies for failure and success. */
export const jobPolicyScenarios: readonly Scenario[] = [
  [
    "a limit for each index: some fail, the rest succeed",
    async (stage) => {
      await make(stage, indexed(3, { backoffLimitPerIndex: 1 }));
      await endAll(stage, 1, 0, 0);
      await endAll(stage, 1);
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "a limit for each index: tried again with its count",
    async (stage) => {
      await make(stage, indexed(2, { backoffLimitPerIndex: 2 }));
      await endAll(stage, 1, 0);
      await stage.untilRunning(1);
      await untilStatus(stage, ({ failed, ready }) => failed === 1 && ready === 1);
    },
  ],
  [
    "a limit of failed indexes",
    async (stage) => {
      await make(stage, indexed(3, { backoffLimitPerIndex: 0, maxFailedIndexes: 0 }));
      const [zero] = await stage.untilRunning(3);
      await stage.end(zero, 1);
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "a rule that fails the job",
    async (stage) => {
      await make(stage, { parallelism: 2, completions: 2, ...policy(onCode("FailJob", 42)) });
      const [first] = await stage.untilRunning(2);
      await stage.end(first, 42);
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "a rule that ignores a failure",
    async (stage) => {
      await make(stage, { backoffLimit: 0, ...policy(onCode("Ignore", 42)) });
      await endAll(stage, 42);
      await endAll(stage, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "a rule that ignores a disruption",
    async (stage) => {
      await make(stage, { backoffLimit: 0, ...policy(onDisruption("Ignore"), onCode("FailJob", 143)) });
      const [pod] = await stage.untilRunning(1);
      // Without a time it would be an old one, which is taken back.
      const lastTransitionTime = formatTime(realClock.now());
      const conditions = [{ type: "DisruptionTarget", status: "True", lastTransitionTime }];
      await stage.client
        .of(Pod)
        .status.patch(pod?.metadata ?? stage.at(""), { strategic: { status: { conditions } } });
      await stage.end(pod, 143);
      await endAll(stage, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "a rule that counts a failure, and no rule that fits",
    async (stage) => {
      await make(stage, { backoffLimit: 1, ...policy(onCode("Count", 42), onCode("Ignore", 42)) });
      await endAll(stage, 42);
      await endAll(stage, 7);
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "a rule that fails an index",
    async (stage) => {
      await make(stage, indexed(2, { backoffLimitPerIndex: 5, ...policy(onCode("FailIndex", 42)) }));
      await endAll(stage, 42, 0);
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "a success policy by an index",
    async (stage) => {
      await make(stage, indexed(3, { successPolicy: { rules: [{ succeededIndexes: "1" }] } }));
      const [, one] = await stage.untilRunning(3);
      await stage.end(one, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "a success policy by a count",
    async (stage) => {
      const rules = [{ succeededIndexes: "0", succeededCount: 1 }, { succeededCount: 2 }];
      await make(stage, indexed(4, { successPolicy: { rules } }));
      const [, one, , three] = await stage.untilRunning(4);
      await stage.end(one, 0);
      await stage.end(three, 0);
      await untilSaid(stage, "Complete");
    },
  ],
];
