import { isAbsolute } from "node:path";
import { DeadlineError } from "@kedge/machinery";
import type { ClientError } from "../client-error.ts";
import { abortFailure } from "../failures.ts";
import type { ExecEnd } from "./exec-command.ts";
import type { KubeconfigExec } from "./kubeconfig-types.ts";
import { placeError, type Place } from "./place.ts";
import { readFailure } from "./read-file.ts";
import { redactOutput, withoutControls } from "./redact.ts";

/** The plugin that ran, and the environment that it had. */
export interface ExecRun {
  readonly exec: KubeconfigExec;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the plugin printed, or the reason why there is nothing to read. */
export function outputOf(end: ExecEnd, run: ExecRun): string {
  if (end.how === "exited" && end.code === 0 && end.stdout.trim() !== "") return end.stdout;
  throw reasonOf(end, run);
}

function reasonOf(end: ExecEnd, run: ExecRun): ClientError {
  const command = run.exec.command ?? "";
  if (end.how === "not started") return notStarted(run.exec, command, end.error);
  if (end.how === "stopped") return stopped(run, end);
  if (end.how === "killed") return failure(run, end, `${command} was killed by ${end.signal}`);
  if (end.how === "flooded")
    return failure(run, end, `${command} printed more than a credential can be long`);
  if (end.code !== 0) return failure(run, end, `${command} failed with exit code ${end.code}`);
  return failure(run, end, `${command} printed nothing`);
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

const shownStderr = 2048;

function failure(run: ExecRun, output: Output, what: string): ClientError {
  const said = redactOutput(output.stderr, secretsOf(run, output)).trim().slice(-shownStderr);
  return placeError(placeOf(run.exec), what, {
    hint: "run the command by hand with the arguments of its entry to see what is wrong",
    ...(said !== "" && { detail: said }),
  });
}

function placeOf(exec: KubeconfigExec): Place {
  return { ...exec.place, code: "EXEC_PLUGIN" };
}

/** What a plugin may have written to its error output although it should not. */
function secretsOf(run: ExecRun, output: Output): readonly string[] {
  const variables = Object.entries(run.env)
    .filter(([name]) => /token|secret|password|key/i.test(name))
    .map(([, value]) => value ?? "");
  const printed = output.stdout.matchAll(/(?:token|clientKeyData)["']?\s*:\s*["']?([^"',}\s]+)/gi);
  return [...variables, ...Array.from(printed, ([, value]) => value ?? "")];
}

function stopped(run: ExecRun, end: Extract<ExecEnd, { how: "stopped" }>): ClientError {
  const command = run.exec.command ?? "";
  const reason: unknown = end.by.reason;
  // A deadline of a caller ends the caller's wait, never the run itself: this one is the plugin's own.
  if (!(reason instanceof DeadlineError)) return abortFailure(end.by, `exec plugin ${command}`);
  return failure(run, end, `${command} did not finish within ${reason.ms / 1000} s`);
}

function notStarted(exec: KubeconfigExec, command: string, error: unknown): ClientError {
  const reason = readFailure(error);
  if (reason !== "no such file") {
    return placeError(placeOf(exec), `cannot run ${command}: ${reason}`, { hint: "is the file executable?" });
  }
  const where = isAbsolute(command)
    ? "there is no such file, or its interpreter is missing"
    : "it is not in PATH";
  const hint = exec.installHint ?? "install the plugin, or put it into a folder of PATH";
  return placeError(placeOf(exec), `executable ${command} not found: ${where}`, {
    hint: withoutControls(hint),
  });
}
