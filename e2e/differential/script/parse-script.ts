import { messageOf } from "@kedge/machinery";
import { checkNames } from "./check-names.ts";
import { parseYamlExactly } from "./exact-yaml.ts";
import { Fields, listOf } from "./fields.ts";
import { parseStep } from "./parse-step.ts";
import type { RequestStep, Script, Step, Variables } from "./script.ts";
import { fill } from "./variables.ts";

/** Reads the text of a script; throws what is wrong with it. README.md tells the format. */
export function parseScript(name: string, text: string): Script {
  try {
    const script = readScript(name, text);
    checkNames(script);
    return script;
  } catch (error) {
    throw new Error(`${name}.yaml: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function readScript(name: string, text: string): Script {
  const fields = new Fields(parseYamlExactly(text), "the script");
  const title = fields.text("title");
  if (title === undefined || !/^[A-Z][^\n]{10,118}[^\n.]$/u.test(title)) {
    throw new Error(
      "the title is one sentence that states the behaviour, up to 120 characters, no full stop",
    );
  }
  const script = {
    name,
    title,
    alone: fields.flag("alone"),
    variables: parseVariables(fields.take("let")),
    webhooks: parseWebhooks(fields.take("webhooks")),
    steps: listOf(fields.take("steps"), "steps").flatMap((step, index) =>
      parseSteps(step, `step ${index + 1}`),
    ),
    cleanup: listOf(fields.take("cleanup") ?? [], "cleanup").map(parseCleanup),
    text,
  };
  fields.finish();
  if (script.steps.length === 0) throw new Error("there are no steps");
  return script;
}

/** A variable is a text, or `{ repeat: text, times: n }` for long ones. */
function parseVariables(value: unknown): Variables {
  const variables = new Fields(value ?? {}, "let");
  return Object.fromEntries(
    variables.names().map((name) => {
      const given = variables.take(name);
      if (typeof given === "string") return [name, given];
      const long = new Fields(given, `let ${name}`);
      const [repeated = "", times = 0] = [long.text("repeat"), long.number("times")];
      long.finish();
      return [name, repeated.repeat(times)];
    }),
  );
}

/** By name; what each of them says is the business of who serves them. */
function parseWebhooks(value: unknown): Readonly<Record<string, unknown>> {
  const webhooks = new Fields(value ?? {}, "webhooks");
  return Object.fromEntries(webhooks.names().map((name) => [name, webhooks.take(name)]));
}

/** One step, or one for each value of its `for`, which is `${it}` in them. */
function parseSteps(value: unknown, where: string): readonly Step[] {
  const { for: values, ...step } = (value ?? {}) as Record<string, unknown>;
  if (values === undefined) return [parseStep(value, where)];
  return listOf(values, `for of ${where}`).map((it) => parseStep(fill(step, { it: String(it) }), where));
}

function parseCleanup(line: unknown): RequestStep {
  const step = parseStep({ request: line }, "cleanup");
  if (step.kind !== "request") throw new Error("cleanup has lines like `DELETE /path`");
  return step;
}
