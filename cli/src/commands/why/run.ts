import { connect, loadConfig } from "@kedge/client";
import { kstatusOf, realClock } from "@kedge/machinery";
import { clusterFolder, dirOption } from "../../cluster/cluster-folder.ts";
import { hasCluster } from "../../cluster/cluster-settings.ts";
import { runningProcesses } from "../../cluster/running-processes.ts";
import type { KedgeContext } from "../../context.ts";
import { exitCodes } from "../../exit-code.ts";
import { findCauses } from "./find-causes.ts";
import { gather } from "./gather.ts";
import { lastWords } from "./last-words.ts";
import { Situation } from "./situation.ts";
import { getTarget, parseTarget } from "./target.ts";
import { whyJson, whyText, type ToldCause } from "./why-text.ts";

/** The flags of `kedge why`. */
export interface WhyFlags {
  readonly dir?: string;
  readonly kubeconfig?: string;
  readonly namespace: string;
  readonly output: "text" | "json";
}

/** Prints what holds an object up; exits with 1 when something does. */
export async function runWhy(
  context: KedgeContext,
  flags: WhyFlags,
  words: readonly string[],
): Promise<Error | void> {
  const wanted = parseTarget(words);
  const clock = realClock;
  const embedded = flags.kubeconfig === undefined ? await embeddedCluster(flags.dir) : undefined;
  if (embedded !== undefined && embedded.roles.length === 0)
    return new Error(`no cluster runs in ${embedded.path}. \`kedge up${dirOption(flags.dir)}\` starts it.`);
  const kubeconfig = flags.kubeconfig ?? embedded?.kubeconfig;
  const client = connect(await loadConfig({ env: context.process.env, clock, kubeconfig }), { clock });
  try {
    const target = await getTarget(client, wanted, flags.namespace);
    const operatorsDown =
      embedded === undefined || embedded.roles.includes("operator")
        ? undefined
        : `kedge operator --kubeconfig ${embedded.kubeconfig}`;
    const startsNode = embedded && `kedge node start${dirOption(flags.dir)}`;
    const facts = await gather(client, target, { now: new Date(clock.now()), operatorsDown, startsNode });
    const causes: ToldCause[] = [];
    for (const cause of findCauses(target, new Situation(facts)))
      causes.push({
        ...cause,
        lastWords: cause.log && causes.length < 3 ? await lastWords(client, cause.log) : [],
      });
    const status = kstatusOf(target, clock);
    const text = flags.output === "json" ? whyJson : whyText;
    context.process.stdout.write(text(target, status, causes));
    if (causes.length > 0 || status.status !== "Current") context.process.exitCode = exitCodes.failed;
  } finally {
    await client.close();
  }
}

/** The cluster of a folder, if there is one: `--dir`, or the usual. */
async function embeddedCluster(dir: string | undefined) {
  const folder = clusterFolder(dir ?? ".kedge");
  if (dir === undefined && !(await hasCluster(folder))) return undefined;
  const roles = (await runningProcesses(folder)).map(({ role }) => role);
  return { path: folder.path, kubeconfig: folder.kubeconfig, roles };
}
