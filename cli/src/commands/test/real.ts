import { askNode } from "../../run-program.ts";
import type { Tally } from "./tally.ts";
import { runVitest, type VitestOptions } from "./vitest.ts";

/** The exit code by which e2e/real/build.ts says that this machine cannot build; why is what it prints. */
const cannotBuild = 69;

/** Builds the real programs, which takes minutes the first time, then runs the tests against them. */
export async function runReal(project: string, options: VitestOptions): Promise<Tally> {
  const { code, output } = await askNode(["e2e/real/build.ts"], options.root);
  if (code === 0) return runVitest(project, options);
  if (code === cannotBuild) {
    return { passed: 0, failed: [], skipped: [{ name: project, reason: output.trim() }] };
  }
  throw new Error("the real Kubernetes programs could not be built: what went wrong is above");
}
