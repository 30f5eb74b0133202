import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiHandler } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oracleServer } from "../differential/oracle-server.ts";
import { startOracle, type Oracle } from "./oracle.ts";
import { until } from "./wait.ts";

/** The recordings that @kedge/validation is tested with are still what a real server answers. */
const folder = join(import.meta.dirname, "../../packages/validation/src/testing");
const values = read("recorded-values.json") as {
  readonly name: string;
  readonly schema: unknown;
  readonly answers: readonly { readonly value: unknown; readonly [field: string]: unknown }[];
}[];
const schemas = read("recorded-schemas.json") as {
  readonly schema: unknown;
  readonly causes: readonly Cause[];
}[];

type Cause = readonly [field: string, reason: string, message: string];

let oracle: Oracle;
let server: ReturnType<typeof oracleServer>;

beforeAll(async () => {
  oracle = await startOracle();
  server = oracleServer(oracle);
  const properties = Object.fromEntries(values.map(({ name, schema }) => [name, schema]));
  const spec = { type: "object", properties };
  await post(definitions, definition({ type: "object", properties: { spec } }));
  await until(
    "the custom kind is served",
    async () => (await send({ method: "GET", path: things })).status === 200,
  );
});

afterAll(async () => {
  await server.close();
  await oracle.stop();
});

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/example.com/v1/namespaces/default/things";

describe("a real server answers to values as it is recorded", () => {
  it.for(values)("of $name", async ({ name, answers }) => {
    for (const answer of answers) {
      const { status, body, unknown } = await post(`${things}?dryRun=All`, {
        apiVersion: "example.com/v1",
        kind: "Thing",
        metadata: { name: "x" },
        spec: { [name]: answer.value },
      });
      const result = body.spec?.[name];
      const ours = {
        value: answer.value,
        ...(unknown.length > 0 && { unknown }),
        ...(status === 400 && { message: body.message }),
        ...(status === 422 && { causes: causesOf(body) }),
        ...(status === 201 && (result === undefined ? { absent: true } : { result })),
      };
      expect(inOrder(ours)).toEqual(inOrder(answer));
    }
  });
});

/** The real server goes through some of what it checks in the order of a Go map, which is none. */
function inOrder(answer: Readonly<Record<string, unknown>>): unknown {
  const { causes } = answer;
  return Array.isArray(causes) ? { ...answer, causes: causes.map(String).toSorted() } : answer;
}

it("a real server answers to schemas as it is recorded", async () => {
  for (const { schema, causes } of schemas) {
    const { body } = await post(`${definitions}?dryRun=All`, definition(schema));
    const ours = { schema, causes: causesOf(body).map(String).toSorted() };
    expect(ours).toEqual({ schema, causes: causes.map(String).toSorted() });
  }
});

function definition(schema: unknown): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

interface Body {
  readonly message?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly details?: { readonly causes?: readonly { field: string; reason: string; message: string }[] };
}

interface Answer {
  readonly status: number;
  readonly body: Body;
  /** Fields that the server warned of. */
  readonly unknown: readonly string[];
}

async function post(path: string, body: object): Promise<Answer> {
  return await send({ method: "POST", path, body: JSON.stringify(body) });
}

async function send(request: Omit<Parameters<ApiHandler>[0], "headers">): Promise<Answer> {
  const answer = await server.send({ headers: { "content-type": "application/json" }, ...request });
  const chunks = await Array.fromAsync(answer.body);
  const { warning = [] } = answer.headers;
  return {
    status: answer.status,
    // A path that is not served yet answers plain text.
    body: answer.status === 404 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Body),
    unknown: Array.from(String(warning).matchAll(/unknown field \\"(.*?)\\"/gu), ([, field = ""]) => field),
  };
}

function causesOf({ details }: Body): Cause[] {
  return (details?.causes ?? []).map(({ field, reason, message }) => [field, reason, message]);
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}
