import { applyMergePatch, seededRandom } from "@kedge/machinery";
import { changesBetween, restore, type Changes } from "../changes.ts";
import { serveKind } from "../custom-kind.ts";
import { stepMakers } from "../generate/apply-makers.ts";
import { steps, type Step } from "../generate/apply-steps.ts";
import { kubectlSteps } from "../generate/kubectl-steps.ts";
import { inOrder, objectAt, without, type JsonObject } from "../json.ts";
import type { Answer, Question } from "../server.ts";
import { topic, type AnyTopic, type Stage } from "../topic.ts";
import { applyKinds, thingKind, type ApplyKindName } from "./apply-kinds.ts";
import { earlier, fullObject, simulate, withManagedFields, type Outcome } from "./apply-simulation.ts";

interface Input {
  readonly name: string;
  readonly kind: ApplyKindName;
  readonly steps: readonly Step[];
}

/** What a step changed in the object, its managedFields included, or why it was refused. */
type StepReply =
  | { readonly changes: Changes; readonly written: boolean }
  | { readonly status: number; readonly text: string; readonly causes?: unknown };

/** Several managers write to one object: the object and who manages what, after each write. */
export function serverSideApplyOf(kind: ApplyKindName, count: number): AnyTopic {
  return topic<Input, readonly StepReply[], null>({
    name: topicName(kind),
    inputs: (seed) => {
      const random = seededRandom(`${seed}apply ${kind}`);
      const made = Array.from({ length: count }, () => steps(random, stepMakers[kind]));
      const all = kind === "ConfigMap" ? [...made, ...kubectlSteps] : made;
      return all.map((each, index) => ({ name: `o${index}`, kind, steps: each }));
    },
    titleOf: (input) => `${input.name}: ${input.steps.map(titleOfStep).join(", ")}`,
    comparisonsIn: (input) => input.steps.length,
    prepare: async ({ server }) => {
      if (kind === "Thing") await serveKind(server, thingKind);
      return null;
    },
    ask: playAll,
    ours: ({ input, reply }) => {
      let live: JsonObject | undefined;
      return input.steps.map((step, index) => {
        const theirs = reply[index];
        if (theirs === undefined) throw new Error(`step ${index} is not recorded`);
        const before = live;
        if ("changes" in theirs) live = restore(live ?? {}, theirs.changes);
        // The write did what it should, and the object was not valid: there is nothing to compare.
        else if (theirs.status === 422) return theirs;
        const created = before === undefined ? live : undefined;
        const outcome = simulate(applyKinds[kind], before, defaultedStep(kind, step, created), {
          name: input.name,
          namespace: topicName(kind),
        });
        return replyOf(before, "object" in outcome ? withDefaultsOf(outcome, created) : outcome);
      });
    },
  });
}

function topicName(kind: ApplyKindName): string {
  return `apply-${kind.toLowerCase()}`;
}

/** Who creates an object owns its defaults as well. */
function defaultedStep(kind: ApplyKindName, step: Step, created: JsonObject | undefined): Step {
  const isDefaulted = "create" in step && applyKinds[kind].hasOtherDefaults === true;
  return isDefaulted && created !== undefined
    ? { by: step.by, create: withManagedFields(created, "left out") }
    : step;
}

function titleOfStep(step: Step): string {
  const verb = ["apply", "create", "merge", "put"].find((name) => name in step) ?? "";
  return `${step.by} ${verb}${"force" in step ? " by force" : ""}${"status" in step ? " of status" : ""}`;
}

async function playAll(stage: Stage, input: Input): Promise<readonly StepReply[]> {
  const replies: StepReply[] = [];
  let live: JsonObject | undefined;
  for (const step of input.steps) {
    const { status, body } = await stage.server.ask(questionOf(stage, input, step, live));
    if (status >= 300) replies.push(refusalOf({ status, body }));
    else {
      const written =
        objectAt(body, "metadata")["resourceVersion"] !== objectAt(live ?? {}, "metadata")["resourceVersion"];
      replies.push({
        changes: changesBetween(live === undefined ? {} : masked(live), masked(body)),
        written,
      });
      live = body;
    }
  }
  return replies;
}

function questionOf({ namespace }: Stage, input: Input, step: Step, live: JsonObject | undefined): Question {
  const { path, options } = applyKinds[input.kind];
  const all = path.replace("NAMESPACE", namespace);
  const one = `${all}/${input.name}${"status" in step ? "/status" : ""}`;
  const query = { fieldManager: step.by };
  const { name } = input;
  if ("create" in step) {
    return { method: "POST", path: all, query, body: fullObject(options, step.create, { name, namespace }) };
  }
  if ("merge" in step)
    return { method: "PATCH", path: one, query, type: "merge-patch+json", body: step.merge };
  if ("put" in step) {
    const changed = applyMergePatch(live, step.put) as JsonObject;
    return { method: "PUT", path: one, query, body: withManagedFields(changed, step.managedFields) };
  }
  return {
    method: "PATCH",
    path: one,
    query: step.force ? { ...query, force: "true" } : query,
    type: "apply-patch+yaml",
    body: fullObject(options, step.apply, { name }),
  };
}

function refusalOf({ status, body }: Answer): StepReply {
  const { causes } = objectAt(body, "details");
  if (status === 422) return { status, text: "not valid" };
  return {
    status,
    text: String(body["message"]),
    ...(causes === undefined ? {} : { causes: sorted(causes) }),
  };
}

function replyOf(before: JsonObject | undefined, outcome: Outcome): StepReply {
  if (!("object" in outcome)) {
    const { causes } = outcome;
    return causes === undefined ? outcome : { ...outcome, causes: sorted(causes) };
  }
  return { changes: changesBetween(before ?? {}, masked(outcome.object)), written: outcome.written };
}

/** The managers of conflicts come out of a Go map. */
function sorted(causes: unknown): unknown {
  const textOf = (cause: unknown): string => JSON.stringify(inOrder(cause));
  return (causes as unknown[]).toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

/** A new object as the server has it, with our managedFields: it gets defaults, and what only the server knows. */
function withDefaultsOf(outcome: Outcome & { object: JsonObject }, created: JsonObject | undefined): Outcome {
  if (created === undefined) return outcome;
  const { managedFields } = objectAt(outcome.object, "metadata");
  return {
    ...outcome,
    object: { ...created, metadata: { ...objectAt(created, "metadata"), managedFields } },
  };
}

/** Times, versions and ids are no longer those of this run, and the managers are in an order that no clock decides. */
function masked(object: JsonObject): JsonObject {
  const metadata = without(objectAt(object, "metadata"), ["generation", "managedFields"]);
  const entries = (objectAt(object, "metadata")["managedFields"] ?? []) as JsonObject[];
  const managedFields = entries
    .map((entry) => ({ ...entry, ...(entry["time"] === undefined ? {} : { time: earlier }) }))
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(metadata["uid"] === undefined
        ? {}
        : { uid: "uid", creationTimestamp: earlier, resourceVersion: "1" }),
      ...(managedFields.length > 0 ? { managedFields } : {}),
    },
  };
}

/** The server's order of entries that were all written in the same second, if they have a time at all. */
function orderOf({ operation, time, manager, subresource = "" }: JsonObject): string {
  return [operation, time === undefined ? 0 : 1, manager, subresource].join(" ");
}
