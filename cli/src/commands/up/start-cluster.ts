import { loadKubeconfig, connect } from "@kedge/client";
import { isSimulated, saveSettings, type ClusterSettings } from "../../cluster/cluster-settings.ts";
import { nodeRole } from "../../cluster/launch-part.ts";
import { namespaceOfNode } from "../../cluster/node-network.ts";
import { tellProgress } from "../../cluster/part-messages.ts";
import { untilListening } from "../../cluster/until-listening.ts";
import { untilNodeReady } from "../../cluster/until-node-ready.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { nextCommands } from "./next-commands.ts";
import { prepareCluster } from "./prepare-cluster.ts";
import { sampleKey } from "./sample-key.ts";
import type { StartOptions } from "./start-options.ts";
import { createSteps, type Steps } from "./steps.ts";
import { unlessOneFails } from "./unless-one-fails.ts";

/** Brings everything up, says how long each step took, and what to type next. */
export async function startCluster(options: StartOptions): Promise<void> {
  const { terminal, background } = options;
  const steps = createSteps(options);
  const prepared = await steps.quietly("preparing this machine", () => prepareCluster(options));
  const sample = await startParts(options, prepared.settings, steps);
  terminal.clear();
  const bold = (text: string): string => terminal.style("bold", text);
  terminal.print(nextCommands({ ...options, ...prepared, sample, background, total: steps.total(), bold }));
}

/** Gives whether the sample runs. */
async function startParts(options: StartOptions, settings: ClusterSettings, steps: Steps): Promise<boolean> {
  const { flags, folder, terminal, clock, supervisor } = options;
  // All load at once; nodes and operators wait for the server by themselves.
  const server = steps.run("API server", `https://127.0.0.1:${settings.port}`, () =>
    supervisor.start("server", { onProgress: showProgress(terminal) }),
  );
  const launched = launchNodes(settings, supervisor);
  const operator = flags.operators ? supervisor.start("operator") : undefined;
  // One that fails is not only heard of when the server is there.
  const parts = [server, ...launched.map(({ part }) => part), ...(operator === undefined ? [] : [operator])];
  const [{ startOperators, waitForSample }] = await Promise.all([
    import("./start-operators.ts"),
    unlessOneFails(
      (signal) => untilListening(settings.port, { clock, onWait: () => undefined, signal }),
      parts,
    ),
  ]);
  const known = { ...settings, storeCreated: true };
  if (settings.storeCreated !== true) await saveSettings(folder, known);
  const config = await loadKubeconfig({ env: {}, clock, path: folder.kubeconfig });
  const client = connect(config, { clock, userAgent: "kedge-up/0.1.0" });
  try {
    const nodes = launched.map(({ title, names, part }) =>
      steps.run(title, names.length > 1 ? `${names.length} simulated` : names.join(), async () => {
        await part;
        for (const name of names) await untilNodeReady(client, name);
        await server;
      }),
    );
    const operators =
      operator !== undefined && startOperators(options, known, { client, steps, operator, server });
    const [sample] = await Promise.all([operators, server, ...nodes]);
    if (!sample) return false;
    const name = `${sampleKey.namespace}/${sampleKey.name}`;
    if (isSimulated(settings)) {
      steps.say("RedisInstance", name, "not waited for: no Redis runs in simulated pods");
      return false;
    }
    await steps.run("RedisInstance", name, () =>
      waitForSample(client, { clock, onWait: (why) => terminal.waitFor(why) }),
    );
    return true;
  } catch (error) {
    // Who listened may have been another one: then the server says so in a moment.
    await Promise.race([server, clock.sleep(500)]);
    throw error;
  } finally {
    await client.close();
  }
}

interface LaunchedNodes {
  readonly title: string;
  readonly names: readonly string[];
  readonly part: Promise<void>;
}

/** A process for each node; one for all that are simulated. */
function launchNodes(
  settings: ClusterSettings,
  supervisor: StartOptions["supervisor"],
): readonly LaunchedNodes[] {
  const { nodes } = settings;
  if (isSimulated(settings))
    return [{ title: "nodes", names: nodes.map(({ name }) => name), part: supervisor.start("nodes") }];
  return nodes.map((node) => ({
    title: "node",
    names: [node.name],
    part: supervisor.start(nodeRole(node.name), { namespace: namespaceOfNode(settings, node) }),
  }));
}

/** Of the server: here, and where a start in the background is waited for. */
function showProgress(terminal: Terminal): (what: string) => void {
  return (what) => {
    const text = `starting API server (${what})`;
    terminal.waitFor(text);
    tellProgress(text);
  };
}
