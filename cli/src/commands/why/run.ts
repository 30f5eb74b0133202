import { connect, loadConfig } from "@kedge/client";
import { kstatusOf, realClock } from "@kedge/machinery";
import { dirOption } from "../../cluster/cluster-folder.ts";
import { meantCluster, type AnyClusterFlags } from "../../cluster/meant-cluster.ts";
import type { KedgeContext } from "../../context.ts";
import { exitCodes } from "../../exit-code.ts";
import { findCauses } from "./find-causes.ts";
import { gather } from "./gather.ts";
import { lastWords } from "./last-words.ts";
import { Situation } from "./situation.ts";
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
  const { kubeconfig, roles } = meant;
  const client = connect(await loadConfig({ env: context.process.env, clock, kubeconfig }), { clock });
  try {
    const target = await getTarget(client, wanted, flags.namespace);
    const operatorsDown =
      roles === undefined || roles.includes("operator")
        ? undefined
        : `kedge operator --kubeconfig ${kubeconfig}`;
    const startsNode = roles && `kedge node start${dirOption(flags.dir)}`;
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
