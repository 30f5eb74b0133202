/**
 * Asks a real server about all recorded rules again: `node --conditions=kedge-source e2e/real/rules/record-rules.ts`.
 * New cases are added to the file with what is asked; their answers come from here.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { oracleServer } from "../../differential/oracle-server.ts";
import { startOracle } from "../oracle.ts";
import { askRules, type RecordedRules } from "./ask-rules.ts";

const file = join(import.meta.dirname, "../../../packages/validation/src/testing/recorded-rules.json");
const recorded = JSON.parse(await readFile(file, "utf8")) as RecordedRules;
await using oracle = await startOracle();
const server = oracleServer(oracle);
const cases = await askRules((request) => server.send(request), recorded);
const lines = cases.map((each) => `    ${JSON.stringify(each)}`).join(",\n");
await writeFile(
  file,
  `{\n  "schemas": ${JSON.stringify(recorded.schemas)},\n  "values": ${JSON.stringify(recorded.values)},\n  "cases": [\n${lines}\n  ]\n}\n`,
);
await server.close();
process.stdout.write(`${cases.length} cases\n`);
