import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readGoStructs, type GoField } from "./go-structs.ts";
import { members, object } from "./json-value.ts";
import { downloadKubernetesSource, downloadTypeSources, type TypeSources } from "./kubernetes-source.ts";
import { printSchemaTable } from "./print-schema-table.ts";
import { readProtoMessages, type ProtoField } from "./proto-messages.ts";
import { readTypeFacts, type TypeFacts } from "./type-facts.ts";

/** Gathers the facts of all built-in types from a Kubernetes source tree and the modules of its Go types. */
async function loadTypeFacts(source: string, modules: TypeSources): Promise<readonly TypeFacts[]> {
  const swagger: unknown = JSON.parse(await readFile(join(source, "api/openapi-spec/swagger.json"), "utf8"));
  const names = members(object(swagger, "swagger")["definitions"], "definitions").map(([name]) => name);
  const homes = [...new Set(names.map((name) => name.slice(0, name.lastIndexOf("."))))];
  const messages = new Map<string, readonly ProtoField[]>();
  const structs = new Map<string, readonly GoField[]>();
  for (const home of homes) {
    const folder = folderOf(home, modules);
    for (const file of await readdir(folder)) {
      if (file === "generated.proto") {
        const found = readProtoMessages(await readFile(join(folder, file), "utf8"));
        for (const [name, fields] of found) messages.set(name, fields);
      }
      if (/^(?!zz_)(?!.*(?:_test|_generated|\.pb)\.go$).*\.go$/.test(file)) {
        const found = readGoStructs(await readFile(join(folder, file), "utf8"));
        for (const [name, fields] of found) structs.set(`${home}.${name}`, fields);
      }
    }
  }
  return readTypeFacts({ swagger, defaults: await loadDefaults(source), messages, structs });
}

/** `io.k8s.api.core.v1` is the folder `core/v1` of the module `k8s.io/api`. */
function folderOf(home: string, modules: TypeSources): string {
  for (const [prefix, folder] of modules) {
    if (home.startsWith(`${prefix}.`))
      return join(folder, home.slice(prefix.length + 1).replaceAll(".", "/"));
  }
  throw new Error(`${home}: in none of the modules that the generator knows`);
}

async function loadDefaults(source: string): Promise<ReadonlyMap<string, unknown>> {
  const directory = join(source, "api/openapi-spec/v3");
  const defaults = new Map<string, unknown>();
  for (const file of (await readdir(directory)).toSorted()) {
    const document: unknown = JSON.parse(await readFile(join(directory, file), "utf8"));
    const components = object(object(document, file)["components"] ?? {}, file);
    for (const [type, schema] of members(components["schemas"], file)) {
      for (const [field, property] of members(object(schema, type)["properties"], type)) {
        const value = object(property, field)["default"];
        if (value !== undefined) defaults.set(`${type}.${field}`, value);
      }
    }
  }
  return defaults;
}

const usage = `usage: node packages/machinery/tools/generate-schema-table.ts [--check] [--source DIR]
  --check       write nothing; exit 1 when the committed file differs
  --source DIR  a Kubernetes source tree, instead of the Go module that is fetched otherwise
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { check: { type: "boolean" }, source: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  const source = values.source ?? (await downloadKubernetesSource());
  const table = printSchemaTable(await loadTypeFacts(source, await downloadTypeSources()));
  const file = join(import.meta.dirname, "../src/schema-table/table-text.ts");
  if (values.check !== true) {
    await writeFile(file, table);
    process.stdout.write(`src/schema-table/table-text.ts: ${table.length} bytes\n`);
    return;
  }
  if ((await readFile(file, "utf8")) === table) return;
  process.exitCode = 1;
  process.stderr.write("src/schema-table/table-text.ts: differs from what the API definition gives\n");
  process.stderr.write("run: node packages/machinery/tools/generate-schema-table.ts\n");
}

if (import.meta.main) await main();
