import { connect, loadConfig } from "@kedge/client";
import { kstatusOf, realClock } from "@kedge/machinery";
import { dirOption } from "../../cluster/cluster-folder.ts";
import { isSimulated, loadSettings } from "../../cluster/cluster-settings.ts";
import { nodeRole } from "../../cluster/launch-part.ts";
import { meantCluster, type AnyClusterFlags, type EmbeddedCluster } from "../../cluster/meant-cluster.ts";
import type { KedgeContext } from "../../context.ts";
import { isStopped } from "../../cluster/stopped-nodes.ts";
import { exitCodes } from "../../exit-code.ts";
import { findCauses } from "./find-causes.ts";
import { gather } from "./gather.ts";
import { lastWords } from "./last-words.ts";
import { Situation, type Facts } from "./situation.ts";
import { getTarget, parseTarget } from "./target.ts";
import { whyJson, whyText, type ToldCause } from "./why-text.ts";

/** The flags of `kedge why`. */
export interface WhyFlags extends AnyClusterFlags {
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
  const meant = await meantCluster(flags);
  if (meant instanceof Error) return meant;
  const { kubeconfig, embedded } = meant;
  const client = connect(await loadConfig({ env: context.process.env, clock, kubeconfig }), { clock });
  try {
    const target = await getTarget(client, wanted, flags.namespace);
    const known = embedded && (await knownOf(embedded, flags.dir));
    const facts = await gather(client, target, { now: new Date(clock.now()), ...known });
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

/** What is known of a cluster on this machine without asking it. */
async function knownOf(
  { folder, roles }: EmbeddedCluster,
  dir: string | undefined,
): Promise<Pick<Facts, "operatorsDown" | "agentsDown" | "startsNode">> {
  const settings = await loadSettings(folder);
  // All that are simulated are one process.
  const isDown = (name: string): boolean =>
    isSimulated(settings)
      ? !roles.includes("nodes") || isStopped(folder, name)
      : !roles.includes(nodeRole(name));
  return {
    operatorsDown: roles.includes("operator")
      ? undefined
      : `kedge operator --kubeconfig ${folder.kubeconfig}`,
    agentsDown: settings.nodes.map(({ name }) => name).filter(isDown),
    startsNode: `kedge node start${dirOption(dir)}`,
  };
}
