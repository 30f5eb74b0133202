import {
  apiVersionOf,
  isJsonList,
  isJsonObject,
  realClock,
  seededRandom,
  type JsonObject,
} from "@kedge/machinery";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oracleServer } from "../differential/oracle-server.ts";
import { ourServer } from "../differential/our-server.ts";
import { startOracle, type Oracle } from "../real/oracle.ts";
import { until } from "../real/wait.ts";
import { Chooser } from "./chooser.ts";
import type { Pair } from "./live.ts";
import { makeValue } from "./projects/make-value.ts";
import { definitionsOf, projects } from "./projects/projects.ts";

/** `KEDGE_TEST_SEED=<number>` tries others. */
const seed = process.env["KEDGE_TEST_SEED"] ?? "20261117";
/** So many objects of each project, half of them with faults. */
const objects = Number(process.env["KEDGE_FUZZ_LIVES"] ?? "50");
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

let oracle: Oracle;
let pair: Pair;
let close: () => Promise<void>;
beforeAll(async () => {
  oracle = await startOracle();
  const [real, ours] = [oracleServer(oracle), await ourServer()];
  pair = { real, ours };
  close = async () => {
    await real.close();
    await ours.close();
    await oracle.stop();
  };
});
afterAll(() => close?.());

it.for(projects)("our server treats $module as the real one", async (project, { annotate }) => {
  const definitions = await definitionsOf(project);
  expect(definitions.length).toBeGreaterThan(0);
  const random = seededRandom(`${seed}/${project.module}`);
  const differences: string[] = [];
  const differs = async (method: string, path: string, body?: unknown): Promise<number> => {
    const [expected, got] = await Promise.all([
      ask("real", method, path, body),
      ask("ours", method, path, body),
    ]);
    const [one, other] = [JSON.stringify(expected, undefined, 1), JSON.stringify(got, undefined, 1)];
    if (one !== other && differences.length < 5)
      differences.push(
        `${method} ${path}\n${JSON.stringify(body)?.slice(0, 3000) ?? ""}\nexpected ${one}\ngot ${other}`,
      );
    return expected.status;
  };
  for (const definition of definitions)
    await differs("POST", `${definitionsPath}?fieldValidation=Strict`, definition);
  const { versions } = project;
  const kinds = definitions
    .flatMap(kindsOf)
    .filter(({ apiVersion }) => versions?.includes(apiVersion.split("/").at(-1) ?? "") ?? true);
  for (const kind of kinds) await untilServed(kind.path);
  const answers = new Map<number, number>();
  for (let number = 0; number < objects; number++) {
    const kind = kinds[number % kinds.length];
    if (kind === undefined) break;
    const choose = new Chooser(random, number % 2 === 0 ? 0 : 4);
    const made = makeObject(choose, kind.schema);
    const { apiVersion, name } = kind;
    const object = { apiVersion, kind: name, metadata: { name: `o${number}` }, ...made };
    const strict = choose.maybe() ? "Strict" : "Warn";
    const status = await differs("POST", `${kind.path}?dryRun=All&fieldValidation=${strict}`, object);
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  for (const { metadata } of definitions)
    if (isJsonObject(metadata)) await ask("both", "DELETE", `${definitionsPath}/${String(metadata["name"])}`);
  await annotate(
    `${definitions.length} definitions; answers to ${objects} objects: ${JSON.stringify(Object.fromEntries(answers))}`,
    "count",
  );
  expect(differences.join("\n\n")).toBe("");
  // Both kinds of objects were among them.
  expect([...answers.keys()]).toEqual(expect.arrayContaining([201]));
  expect([...answers.keys()].some((status) => status >= 400)).toBe(true);
});

function makeObject(choose: Chooser, schema: JsonObject): JsonObject {
  const made = makeValue(choose, schema);
  return isJsonObject(made) ? made : {};
}

interface ServedKind {
  readonly apiVersion: string;
  readonly name: string;
  readonly path: string;
  readonly schema: JsonObject;
}

/** What a definition serves. */
function kindsOf({ spec }: JsonObject): readonly ServedKind[] {
  if (!isJsonObject(spec) || !isJsonObject(spec["names"]) || !isJsonList(spec["versions"])) return [];
  const { group, scope, names } = spec;
  return spec["versions"]
    .filter(isJsonObject)
    .flatMap(({ name: version, served, schema }): readonly ServedKind[] => {
      if (served !== true || !isJsonObject(schema) || !isJsonObject(schema["openAPIV3Schema"])) return [];
      const apiVersion = apiVersionOf({ group: String(group), version: String(version) });
      const place = scope === "Namespaced" ? "namespaces/default/" : "";
      const path = `/apis/${apiVersion}/${place}${String(names["plural"])}`;
      return [{ apiVersion, name: String(names["kind"]), path, schema: schema["openAPIV3Schema"] }];
    });
}

async function untilServed(path: string): Promise<void> {
  for (const which of ["real", "ours"] as const)
    await until(
      `${path} is served`,
      async () => (await ask(which, "GET", path)).status === 200,
      60_000,
    ).catch(
      // What a server did not take is not served: that was told already.
      () => undefined,
    );
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: unknown;
}

async function ask(
  which: keyof Pair | "both",
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  if (which === "both") {
    await ask("real", method, path, body);
    return await ask("ours", method, path, body);
  }
  using deadline = realClock.deadline(120_000);
  const {
    status,
    headers,
    body: stream,
  } = await pair[which].send({
    method,
    path,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: deadline.signal,
  });
  const text = Buffer.concat(await Array.fromAsync(stream)).toString();
  const value: unknown = text.startsWith("{") ? JSON.parse(text) : text;
  return { status, body: stable(value), warnings: [headers["warning"] ?? []].flat().join(", ") };
}

/** Without what each server makes up, and without the order of Go's maps. */
function stable(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { metadata, message, details, status, ...rest } = value;
  if (value["kind"] === "Status") {
    const causes = isJsonObject(details) && isJsonList(details["causes"]) ? details["causes"] : undefined;
    const told = causes === undefined ? message : causes.map((cause) => JSON.stringify(cause)).toSorted();
    return { rest: sortedObject(rest), status, told };
  }
  const {
    uid: _,
    creationTimestamp: __,
    resourceVersion: ___,
    managedFields: ____,
    ...kept
  } = isJsonObject(metadata) ? metadata : {};
  return sortedObject({ ...rest, metadata: kept });
}

/** Fields in the order of their names. */
function sortedObject(value: unknown): unknown {
  if (isJsonList(value)) return value.map(sortedObject);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sortedObject(each)]),
  );
}
