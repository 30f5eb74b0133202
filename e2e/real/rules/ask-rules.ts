import { isJsonObject, type ApiHandler } from "@kedge/machinery";
import { until } from "../wait.ts";

/** Rules of custom resources, and what a real server says of them: `recorded-rules.json` of @kedge/validation. */
export interface RecordedRules {
  /** What rules are about, by names that cases use. */
  readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What rules about a schema are asked for, where an answer names no value of its own. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly cases: readonly RuleCase[];
}

export interface RuleCase {
  readonly on: string;
  readonly rules: readonly unknown[];
  /** What a definition with these rules is refused with; nothing when it is accepted. */
  readonly refused?: readonly Cause[];
  readonly answers: readonly RuleAnswer[];
}

export interface RuleAnswer {
  readonly value?: unknown;
  /** What the value was before, when the rules were not there yet; the name of one of `values`, or a value. */
  readonly before?: unknown;
  readonly causes?: readonly Cause[];
  readonly warnings?: readonly string[];
}

type Cause = readonly [field: string, reason: string, message: string];

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Cases that share a definition: their estimated costs are added up. */
const together = 25;

/** Asks a server about all cases: each is a field `spec.case` of a kind. */
export async function askRules(send: ApiHandler, recorded: RecordedRules): Promise<RuleCase[]> {
  const { schemas, cases } = recorded;
  const asker = new Asker(send);
  const judged: RuleCase[] = [];
  for (const { on, rules, answers } of cases) {
    const refused = await asker.define({ c: { ...schemas[on], "x-kubernetes-validations": rules } });
    judged.push({ on, rules, ...(refused.length > 0 && { refused }), answers });
  }
  const accepted = judged.filter(({ refused }) => refused === undefined);
  const answered = new Map<RuleCase, readonly RuleAnswer[]>();
  for (let from = 0; from < accepted.length; from += together) {
    const group = accepted.slice(from, from + together);
    const answers = await asker.answers(`cases${from}`, group, recorded);
    for (const [index, each] of group.entries()) answered.set(each, answers[index] ?? []);
  }
  return judged.map((each) => ({ ...each, answers: answered.get(each) ?? each.answers }));
}

/** What is asked about. */
export function valueOf(answer: RuleAnswer, on: string, { values }: RecordedRules): unknown {
  return "value" in answer ? answer.value : values[on];
}

/** What it was before. */
export function beforeOf({ before }: RuleAnswer, { values }: RecordedRules): unknown {
  return typeof before === "string" && before in values ? values[before] : before;
}

class Asker {
  readonly #send: ApiHandler;

  constructor(send: ApiHandler) {
    this.#send = send;
  }

  /** What a definition with these fields is refused with. */
  async define(properties: object): Promise<Cause[]> {
    const body = definition("things", {
      type: "object",
      properties: { spec: { type: "object", properties } },
    });
    const { status, causes } = await this.#ask("POST", `${definitions}?dryRun=All`, body);
    return status === 422 ? causes : [];
  }

  /** Objects are made before there are rules, so that these find what they would not have let in. */
  async answers(
    plural: string,
    group: readonly RuleCase[],
    recorded: RecordedRules,
  ): Promise<RuleAnswer[][]> {
    const schemaOf = (withRules: boolean): object => {
      const properties: Record<string, unknown> = {};
      for (const [index, { on, rules }] of group.entries()) {
        properties[`c${index}`] = {
          ...recorded.schemas[on],
          ...(withRules && { "x-kubernetes-validations": rules }),
        };
      }
      const mark = {
        type: "string",
        maxLength: 9,
        ...(withRules && { "x-kubernetes-validations": [{ rule: "self != 'bad'" }] }),
      };
      return {
        type: "object",
        properties: { spec: { type: "object", properties: { ...properties, mark } } },
      };
    };
    const path = `/apis/rules.kedge.dev/v1/namespaces/default/${plural}`;
    await this.#ask("POST", definitions, definition(plural, schemaOf(false)));
    await until(`${plural} are served`, async () => (await this.#ask("GET", path)).status === 200);
    const object = (name: string, spec: object, version = ""): object => ({
      apiVersion: "rules.kedge.dev/v1",
      kind: kindOf(plural),
      metadata: { name, ...(version !== "" && { resourceVersion: version }) },
      spec,
    });
    const places = group.flatMap(({ answers }, index) =>
      answers.map((answer, nth) => ({
        answer,
        index,
        field: `c${index}`,
        name: `c${index}-${nth}`,
        version: "",
      })),
    );
    for (const place of places) {
      if (place.answer.before === undefined) continue;
      const made = await this.#ask(
        "POST",
        path,
        object(place.name, { [place.field]: beforeOf(place.answer, recorded) }),
      );
      if (made.status !== 201)
        throw new Error(`${JSON.stringify(place.answer.before)} is refused: ${made.message}`);
      place.version = made.version;
    }
    const changed = await this.#ask(
      "PATCH",
      `${definitions}/${plural}.rules.kedge.dev`,
      definition(plural, schemaOf(true)),
    );
    if (changed.status !== 200)
      throw new Error(`the rules of ${plural} are refused together: ${changed.message}`);
    await until(`the rules of ${plural} hold`, async () => {
      const { status } = await this.#ask("POST", `${path}?dryRun=All`, object("mark", { mark: "bad" }));
      return status === 422;
    });
    const results: RuleAnswer[][] = group.map(() => []);
    for (const { answer, index, field, name, version: before } of places) {
      const body = object(name, { [field]: valueOf(answer, group[index]?.on ?? "", recorded) }, before);
      const asked =
        before === ""
          ? await this.#ask("POST", `${path}?dryRun=All`, body)
          : await this.#ask("PUT", `${path}/${name}?dryRun=All`, body);
      if (![200, 201, 422].includes(asked.status)) throw new Error(`${asked.status} ${asked.message}`);
      results[index]?.push({
        ...("value" in answer && { value: answer.value }),
        ...(answer.before !== undefined && { before: answer.before }),
        ...(asked.causes.length > 0 && { causes: asked.causes.map((cause) => inPlaceOf(field, cause)) }),
        ...(asked.warnings.length > 0 && {
          warnings: asked.warnings.map((text) => text.replaceAll(`spec.${field}`, "spec.c")),
        }),
      });
    }
    return results;
  }

  async #ask(method: string, path: string, body?: object): Promise<Asked> {
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await this.#send({
      method,
      path,
      headers: { accept: "application/json", ...(body !== undefined && { "content-type": contentType }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const parsed: unknown = text.startsWith("{") ? JSON.parse(text) : {};
    const answer = isJsonObject(parsed) ? parsed : {};
    return {
      status: response.status,
      message: typeof answer["message"] === "string" ? answer["message"] : text,
      version: versionOf(answer["metadata"]),
      causes: causesOf(answer),
      warnings: [response.headers["warning"] ?? []].flat().map(warningText),
    };
  }
}

function versionOf(metadata: unknown): string {
  const version = isJsonObject(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof version === "string" ? version : "";
}

interface Asked {
  readonly status: number;
  readonly message: string;
  readonly version: string;
  readonly causes: Cause[];
  readonly warnings: string[];
}

function inPlaceOf(name: string, [field, reason, message]: Cause): Cause {
  return [field.replace(`spec.${name}`, "spec.c"), reason, message];
}

function kindOf(plural: string): string {
  return `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
}

function definition(plural: string, schema: object): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.rules.kedge.dev` },
    spec: {
      group: "rules.kedge.dev",
      scope: "Namespaced",
      names: { plural, kind: kindOf(plural) },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

function causesOf(status: Readonly<Record<string, unknown>>): Cause[] {
  const details = isJsonObject(status["details"]) ? status["details"] : {};
  const causes = Array.isArray(details["causes"]) ? details["causes"] : [];
  return causes.map((cause: { field?: string; reason?: string; message?: string }) => [
    (cause.field ?? "").replace("spec.validation.openAPIV3Schema.properties[spec].properties[c]", ""),
    cause.reason ?? "",
    // The server names the type of `self` anew each time.
    (cause.message ?? "").replaceAll(/selfType\d+/gu, "selfType"),
  ]);
}

/** `299 - "text"`. */
function warningText(header: string): string {
  return header
    .replace(/^\d+ \S+ "(?<text>.*)"$/su, "$<text>")
    .replaceAll('\\"', '"')
    .replaceAll("\\\\", "\\");
}
