import { finish, macrotask, realClock, type ApiRequest } from "@kedge/machinery";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startServer, type TestServer } from "../testing/start-server.ts";
import { builtinTable } from "@kedge/machinery/schema-table";
import { decodeProtobuf } from "../protobuf/index.ts";
import { listText } from "./list-text.ts";
import { yamlText } from "./yaml-in-steps.ts";
import { ObjectVersion } from "../storage/object-version.ts";

const maps = "/api/v1/namespaces/default/configmaps";

describe("a list in parts", () => {
  const version = new ObjectVersion({ key: "", value: new Uint8Array(), revision: 1, lease: 0 });
  const forms = [
    ["JSON", { encoding: "json", pretty: false }, (value: unknown) => `${JSON.stringify(value)}\n`],
    ["pretty JSON", { encoding: "json", pretty: true }, (value: unknown) => JSON.stringify(value, null, 2)],
    ["YAML", { encoding: "yaml", pretty: false }, yamlText],
  ] as const;

  it.each(forms)("is the same %s as if it were encoded as a whole", (_, form, whole) => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom("a\nb\n", "\n", "  x\n y", "- a", "#", "---\na", "a: b\n\n\nc"),
    );
    const item = fc.record({
      metadata: fc.dictionary(fc.string({ minLength: 1 }), text),
      data: fc.oneof(fc.constant({}), fc.array(fc.oneof(text, fc.integer(), fc.constant(null)))),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), (items) => {
        let at = 0;
        const shell = { kind: "List", metadata: { resourceVersion: "1" }, items: [] };
        const parts = listText(form, { shell, item: () => items[at++] });
        const shown = items.flatMap((__, index) => {
          const piece = parts.item(version, index === 0);
          return "next" in piece ? finish(piece) : piece;
        });
        const written = Buffer.concat([parts.head, ...shown, parts.tail(items.length === 0)]).toString();
        expect(written).toBe(whole({ ...shell, items }));
      }),
      { numRuns: 300 },
    );
  });
});

describe("a long list", () => {
  const accepts = {
    plain: "application/json",
    yaml: "application/yaml",
    table: "application/json;as=Table;v=v1;g=meta.k8s.io",
    metadata: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  };

  it.each(Object.entries(accepts))("comes in pieces, as %s", async (_, accept) => {
    await using server = await startServer();
    await fill(server, 40, 20_000);
    const answer = await asked(server, maps, { accept });
    expect(answer.headers["content-length"]).toBeUndefined();
    const chunks = await Array.fromAsync(answer.body);
    expect(chunks.length).toBeGreaterThan(2);
    const list = parse(Buffer.concat(chunks).toString()) as { items?: unknown[]; rows?: unknown[] };
    expect((list.items ?? list.rows)?.length).toBe(40);
  });

  it("is the same in protobuf, whether what was encoded is kept or encoded again", async () => {
    await using server = await startServer();
    await fill(server, 60, 100_000);
    const json = JSON.parse(await textOf(await asked(server, maps))) as object;
    const answer = await asked(server, maps, { accept: "application/vnd.kubernetes.protobuf" });
    expect(answer.headers["content-type"]).toBe("application/vnd.kubernetes.protobuf");
    const chunks = await Array.fromAsync(answer.body);
    expect(chunks.length).toBeGreaterThan(20);
    expect(decodeProtobuf(Buffer.concat(chunks), builtinTable()).object).toEqual(json);
  });

  it("shows one moment, whatever is written while it is read", async () => {
    await using server = await startServer();
    await fill(server, 40, 20_000);
    const answer = await asked(server, maps);
    const chunks = answer.body[Symbol.asyncIterator]();
    const read = [(await chunks.next()).value as Uint8Array];
    for (let i = 0; i < 40; i++) await server.ask("DELETE", `${maps}/m${i}`);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      read.push(next.value);
    const { items } = JSON.parse(Buffer.concat(read).toString()) as { items: unknown[] };
    expect(items.length).toBe(40);
  });

  it("is made no faster than it is read, and lets others in", async () => {
    await using server = await startServer({ clock: realClock });
    await fill(server, 60, 100_000);
    let turns = 0;
    const reading = new AbortController();
    const counted = (async () => {
      for (; !reading.signal.aborted; turns++) await macrotask();
    })();
    const answer = await asked(server, maps);
    let chunks = 0;
    for await (const _ of answer.body) chunks++;
    reading.abort();
    await counted;
    expect(chunks).toBeGreaterThan(20);
    expect(turns).toBeGreaterThanOrEqual(chunks - 2);
  });

  it("can be compressed on its way", async () => {
    await using server = await startServer({ clock: realClock });
    await fill(server, 40, 20_000);
    const answer = await asked(server, maps, { "accept-encoding": "gzip" });
    expect(answer.headers["content-encoding"]).toBe("gzip");
    const bytes = Buffer.concat(await Array.fromAsync(answer.body));
    expect(bytes.length).toBeLessThan(100_000);
    expect((JSON.parse(gunzipSync(bytes).toString()) as { items: unknown[] }).items.length).toBe(40);
  });
});

async function textOf({ body }: { readonly body: AsyncIterable<Uint8Array> }): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

async function fill(server: TestServer, count: number, size: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await server.ask("POST", maps, { metadata: { name: `m${i}` }, data: { a: "x".repeat(size) } });
}

function asked(server: TestServer, path: string, headers: ApiRequest["headers"] = {}) {
  const { handle } = server.api.doorFor({ name: "admin", groups: ["system:masters"] });
  return handle({ method: "GET", path, headers });
}
