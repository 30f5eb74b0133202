import { isatty } from "node:tty";
import type { Clock } from "@kedge/machinery";
import { runExecCommand } from "./exec-command.ts";
import { outputOf } from "./exec-failure.ts";
import { execInfo, parseExecCredential, renewalTime, type ExecCluster } from "./exec-credential.ts";
import type { KubeconfigExec } from "./kubeconfig-types.ts";
import { fieldOf, placeError } from "./place.ts";
import { RenewingCredentials, type Renewed } from "./renewing-credentials.ts";
import type { Credentials } from "./types.ts";

/** What an exec plugin needs to run. */
export interface ExecPluginOptions {
  readonly exec: KubeconfigExec;
  /** Told to the plugin when its entry asks for it. */
  readonly cluster: ExecCluster;
  /** Our environment: the plugin gets it, with the variables of its entry added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** May plugins ask the user? Default: when our standard input is a terminal. */
  readonly interactive?: boolean | undefined;
  /** Time for one run in milliseconds. Default: 60,000, and no limit while the plugin can ask the user. */
  readonly deadlineMs?: number | undefined;
}

/**
 * Credentials from a command, as `client.authentication.k8s.io` v1 and v1beta1 define it. The cache belongs to this
 * one entry: two kubeconfigs never share credentials.
 */
export function execPlugin(options: ExecPluginOptions): Credentials {
  const plugin = checkPlugin(options);
  return new RenewingCredentials({
    clock: options.clock,
    what: `exec plugin ${plugin.command}`,
    renew: (signal) => renew(plugin, signal),
  });
}

interface Plugin extends ExecPluginOptions {
  readonly command: string;
  readonly apiVersion: string;
  readonly isInteractive: boolean;
}

const apiVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

function checkPlugin(options: ExecPluginOptions): Plugin {
  const { command, apiVersion, place } = options.exec;
  if (command === undefined) throw placeError(fieldOf(place, "command"), "must be set");
  if (apiVersion === undefined || !apiVersions.includes(apiVersion)) {
    const got = apiVersion === undefined ? "nothing" : `"${apiVersion}"`;
    throw placeError(
      fieldOf(place, "apiVersion"),
      `must be ${apiVersions.map((each) => `"${each}"`).join(" or ")}, got ${got}`,
      { hint: "update the plugin and let it write its kubeconfig entry anew" },
    );
  }
  return { ...options, command, apiVersion, isInteractive: isInteractive(options, apiVersion) };
}

function isInteractive(options: ExecPluginOptions, apiVersion: string): boolean {
  const { exec } = options;
  const place = fieldOf(exec.place, "interactiveMode");
  const mode = exec.interactiveMode ?? (apiVersion.endsWith("/v1beta1") ? "IfAvailable" : undefined);
  const isAvailable = options.interactive ?? isatty(0);
  if (mode === "Never") return false;
  if (mode === "IfAvailable") return isAvailable;
  if (mode !== "Always") {
    const got = mode === undefined ? "nothing" : `"${mode}"`;
    throw placeError(place, `must be "Never", "IfAvailable" or "Always", got ${got}`);
  }
  if (isAvailable) return true;
  throw placeError(place, 'is "Always", but there is no terminal on which the plugin could ask the user', {
    hint: "use credentials that need no user, such as a service account's token",
  });
}

async function renew(plugin: Plugin, signal: AbortSignal): Promise<Renewed> {
  const { clock, exec } = plugin;
  const stdout = await runPlugin(plugin, signal);
  const credential = parseExecCredential(stdout, plugin.apiVersion, {
    ...exec.place,
    document: `${exec.place.document}: ${exec.place.path}: output of ${plugin.command}`,
    path: "",
    code: "EXEC_PLUGIN",
  });
  const renewAt = renewalTime(credential, clock);
  const end = credential.expiresAt ?? Number.POSITIVE_INFINITY;
  return {
    identity: credential.identity,
    isFresh: () => clock.now() < renewAt,
    isUsable: () => clock.now() < end,
  };
}

const defaultDeadlineMs = 60_000;

async function runPlugin(plugin: Plugin, signal: AbortSignal): Promise<string> {
  const { exec, command, isInteractive: interactive, clock } = plugin;
  const cluster = exec.provideClusterInfo ? plugin.cluster : undefined;
  const env = {
    ...plugin.env,
    ...Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: execInfo(plugin.apiVersion, interactive, cluster),
  };
  const run = { command, args: exec.args, env, interactive };
  const ms = plugin.deadlineMs ?? (interactive ? Number.POSITIVE_INFINITY : defaultDeadlineMs);
  if (ms === Number.POSITIVE_INFINITY)
    return outputOf(await runExecCommand(run, clock, signal), { exec, env });
  using deadline = clock.deadline(ms, signal);
  return outputOf(await runExecCommand(run, clock, deadline.signal), { exec, env });
}
