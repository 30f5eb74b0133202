import type { Script } from "./script.ts";
import { variablesIn } from "./variables.ts";

/** Throws when a step uses a variable or a watch that no earlier step has made. */
export function checkNames({ variables, steps, cleanup }: Script): void {
  const known = new Set(["ns", "id", "webhook", "webhookCa", "otherCa", ...Object.keys(variables)]);
  const watches = new Set<string>();
  for (const step of [...steps, ...cleanup]) {
    for (const name of variablesIn(step)) {
      if (!known.has(name)) throw new Error(`\${${name}} is used before anything is saved in it`);
    }
    if (step.kind === "watch") watches.add(step.watch);
    if (step.kind === "events" && !watches.has(step.events)) {
      throw new Error(`there are no events of \`${step.events}\`: no step opens this watch before`);
    }
    for (const name of Object.keys(step.save)) known.add(name);
  }
}
