import { join } from "node:path";
import { loadKubeconfig, connect, type Client } from "@kedge/client";
import { silentLogger } from "@kedge/machinery";
import { Node } from "@kedge/machinery/kinds/core/v1";
import { cleanUpCluster } from "../../cluster/clean-up.ts";
import { saveSettings, type ClusterSettings } from "../../cluster/cluster-settings.ts";
import { nodeRole } from "../../cluster/launch-part.ts";
import { describeProcess, forgetRunning, saveRunning } from "../../cluster/running-processes.ts";
import { createSupervisor, type Supervisor } from "../../cluster/supervisor.ts";
import { imageAliasVariable } from "../../parts/image-aliases.ts";
import { tellProgress } from "../../cluster/part-messages.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { installKinds } from "./install-kinds.ts";
import { nextCommands } from "./next-commands.ts";
import { prepareCluster } from "./prepare-cluster.ts";
import { createSample, hasSample, sampleKey, waitForSample } from "./sample.ts";
import type { StartOptions } from "./start-options.ts";
import { createSteps, type Steps } from "./steps.ts";

/** A cluster that this process started. */
export interface StartedCluster {
  /** Stops it, and leaves nothing of it on this machine but its data. */
  stop(): Promise<void>;
}

/** Brings everything up in order and says how long each step took. When a step fails, all is taken down again. */
export async function startCluster(options: StartOptions): Promise<StartedCluster> {
  const { folder, terminal } = options;
  const steps = createSteps(options);
  await saveRunning(folder, [describeProcess("supervisor", process.pid)]);
  try {
    const prepared = await steps.quietly("preparing this machine", () => prepareCluster(options));
    const cluster = supervise(options, prepared.settings);
    let sample = false;
    try {
      sample = await startParts(options, prepared.settings, { steps, supervisor: cluster.supervisor });
    } catch (error) {
      terminal.waitFor("taking down what was started");
      await cluster.stop();
      throw error;
    }
    terminal.clear();
    const bold = (text: string): string => terminal.style("bold", text);
    const background = process.send !== undefined;
    terminal.print(nextCommands({ ...options, ...prepared, sample, background, total: steps.total(), bold }));
    return cluster;
  } catch (error) {
    await forgetRunning(folder);
    throw error;
  } finally {
    terminal.clear();
  }
}

function supervise(
  { context, flags, folder, terminal, clock }: StartOptions,
  settings: ClusterSettings,
): StartedCluster & { readonly supervisor: Supervisor } {
  const supervisor = createSupervisor({
    folder,
    clock,
    env: { [imageAliasVariable]: (flags.imageAlias ?? []).join(" ") },
    onTrouble: (message) => terminal.print(`${terminal.style("yellow", "!")} ${message}\n`),
  });
  const { env } = context.process;
  return {
    supervisor,
    async stop() {
      await supervisor.stop();
      // A part that was killed, or was just being started, has not cleaned up behind itself.
      await cleanUpCluster({ folder, settings, clock, logger: silentLogger, env });
      await forgetRunning(folder);
    },
  };
}

interface Starting {
  readonly client: Client;
  readonly steps: Steps;
  readonly supervisor: Supervisor;
}

/** Gives whether the sample runs. */
async function startParts(
  options: StartOptions,
  settings: ClusterSettings,
  { steps, supervisor }: Omit<Starting, "client">,
): Promise<boolean> {
  const { folder, terminal, clock, signal } = options;
  await steps.run("API server", `https://127.0.0.1:${settings.port}`, () =>
    supervisor.start("server", showProgress("API server", terminal)),
  );
  const known = { ...settings, storeCreated: true };
  if (settings.storeCreated !== true) await saveSettings(folder, known);
  const config = await loadKubeconfig({ env: {}, clock, path: folder.kubeconfig });
  const client = connect(config, { clock, userAgent: "kedge-up/0.1.0" });
  try {
    const nodes = settings.nodes.map(({ name }) =>
      steps.run("node", name, async () => {
        await supervisor.start(nodeRole(name), showProgress("node", terminal));
        await nodeReady(client, name, signal);
      }),
    );
    const operators = startOperators(options, known, { client, steps, supervisor });
    const [sample] = await Promise.all([operators, ...nodes]);
    if (!sample) return false;
    await steps.run("RedisInstance", `${sampleKey.namespace}/${sampleKey.name}`, () =>
      waitForSample(client, { clock, signal, onWait: (why) => terminal.waitFor(why) }),
    );
    return true;
  } finally {
    await client.close();
  }
}

/** Here, and where a start in the background is waited for. */
function showProgress(name: string, terminal: Terminal): (what: string) => void {
  return (what) => {
    const text = `starting ${name} (${what})`;
    terminal.waitFor(text);
    tellProgress(text);
  };
}

/** With their kinds, and the sample. Gives whether that is to be waited for. */
async function startOperators(
  { context, flags, folder, clock }: StartOptions,
  settings: ClusterSettings,
  { client, steps, supervisor }: Starting,
): Promise<boolean> {
  if (!flags.operators) return false;
  return await steps.run("operators", "redis, application", async () => {
    await installKinds(client, clock);
    await supervisor.start("operator");
    if (!flags.sample) return false;
    if (!settings.sampleCreated) {
      await createSample(client, join(context.root, "config/samples"));
      await saveSettings(folder, { ...settings, sampleCreated: true });
    }
    return await hasSample(client);
  });
}

async function nodeReady(client: Client, name: string, signal: AbortSignal): Promise<void> {
  for await (const event of client.of(Node).watch({ fieldSelector: `metadata.name=${name}`, signal })) {
    if (event.type === "BOOKMARK") continue;
    const ready = event.object.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status === "True") return;
  }
}
