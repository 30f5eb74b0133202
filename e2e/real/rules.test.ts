import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oracleServer } from "../differential/oracle-server.ts";
import { startOracle, type Oracle } from "./oracle.ts";
import { askRules, type RecordedRules } from "./rules/ask-rules.ts";

/** The rules that @kedge/validation is tested with are still answered so by a real server. */
const file = join(import.meta.dirname, "../../packages/validation/src/testing/recorded-rules.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as RecordedRules;

let oracle: Oracle;
let server: ReturnType<typeof oracleServer>;

beforeAll(async () => {
  oracle = await startOracle();
  server = oracleServer(oracle);
});

afterAll(async () => {
  await server.close();
  await oracle.stop();
});

it("a real server answers to rules as it is recorded", { timeout: 600_000 }, async () => {
  const cases = await askRules((request) => server.send(request), recorded);
  expect(cases).toHaveLength(recorded.cases.length);
  for (const [index, each] of cases.entries()) expect(each).toEqual(recorded.cases[index]);
});
