import { parseAuditPolicy } from "@kedge/apiserver";
import { expect, it } from "vitest";
import { startTarget } from "./target.ts";

const policy = parseAuditPolicy(
  "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n",
);
const maps = "/api/v1/namespaces/default/configmaps";
const json = { "content-type": "application/json" };

it("tells everything of the largest bodies and answers without holding the event loop for long", async () => {
  const told: string[] = [];
  await using target = await startTarget({
    audit: { policy, sink: { write: (line) => void told.push(line) } },
  });
  const data = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key-${i}`, "some text"]));
  const create = (name: string) =>
    target.send({
      method: "POST",
      path: maps,
      headers: json,
      body: JSON.stringify({ metadata: { name }, data }),
    });
  for (let i = 0; i < 400; i++) expect((await create(`m-${i}`)).status).toBe(201);
  const patch = (type: string, body: string) => ({
    method: "PATCH",
    path: `${maps}/m-1`,
    headers: { "content-type": `application/${type}` },
    body,
  });
  const small = JSON.stringify({
    data: Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [i, ""])),
  });
  const requests = [
    ["a list of 400 objects with 500 values each", { method: "GET", path: maps, headers: {}, body: "" }],
    ["the same in lines for people", { method: "GET", path: `${maps}?pretty=true`, headers: {}, body: "" }],
    ["a patch of 2.9 MB in small values", patch("merge-patch+json", small.slice(0, 2_900_000))],
    ["a patch of brackets", patch("json-patch+json", "[".repeat(2_900_000))],
    ["a patch of one text", patch("merge-patch+json", `{"data":{"a":"${"x".repeat(900_000)}"}}`)],
  ] as const;
  const lines: string[] = [];
  for (const [what, request] of requests) {
    told.length = 0;
    const { longestBlock, status } = await target.cost(request);
    const event = JSON.parse(told.at(-1) ?? "{}") as { annotations?: Record<string, string> };
    const isShort = event.annotations?.["audit.k8s.io/truncated"] === "true";
    lines.push(`${longestBlock.toFixed(1)} ms: ${what}: ${status}${isShort ? ", without its object" : ""}`);
    expect(told.at(-1)).toContain('"stage":"ResponseComplete"');
    expect(longestBlock).toBeLessThan(150);
  }
  process.stdout.write(
    `${["The longest blocks of the event loop with an audit log:", ...lines].join("\n")}\n`,
  );
});
