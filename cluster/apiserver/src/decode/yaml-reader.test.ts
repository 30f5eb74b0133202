import { realClock, statusOf } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { YamlReader } from "./yaml-reader.ts";

const reader = new YamlReader(realClock);
/** More than is read on the caller's own thread. */
const large = `# ${"x".repeat(10_000)}\n`;

describe.each([
  ["a small text", ""],
  ["a large text", large],
])("%s of YAML", (_size, before) => {
  it.each([
    ["a: yes\nb: 010\nc: 2001-01-01\n", '{"a":true,"b":8,"c":"2001-01-01T00:00:00.000Z"}'],
    ["a: &x [1]\nb: *x\n", '{"a":[1],"b":[1]}'],
    ["a: 1:30\nb: 1:30.5\nc: 9007199254740993\n", '{"a":"1:30","b":"1:30.5","c":9007199254740993}'],
    ["", "null"],
  ])("%j is %s", async (text, json) => {
    expect(await reader.read(before + text, "only")).toEqual({ json, duplicates: [] });
  });

  it("says what is there twice, and where", async () => {
    const line = before === "" ? 3 : 4;
    const { duplicates } = await reader.read(`${before}a: 1\nb: 2\na: 3\n`, "first");
    expect(duplicates).toEqual([`line ${line}: key "a" already set in map`]);
  });

  it.each([
    ["a: [1", /did not find expected ',' or '\]'/u],
    ["a: *x\n", /unknown anchor 'x' referenced/u],
    [`a: ${"[".repeat(2000)}${"]".repeat(2000)}\n`, /exceeded max depth/u],
    [`a: ${"- ".repeat(3000)}\n`, /yaml: /u],
  ])("%j is refused", async (text, why) => {
    await expect(reader.read(before + text, "only")).rejects.toThrow(why);
  });
});

describe("hostile YAML", () => {
  it("may not grow beyond a body by its aliases", async () => {
    const text = `a: &a "${"x".repeat(7000)}"\nb: [${Array.from({ length: 900 }, () => "*a").join(",")}]\n`;
    await expect(reader.read(text, "only")).rejects.toThrow("document contains excessive aliasing");
  });

  it("does not wait in a queue without an end", async () => {
    const fresh = new YamlReader(realClock, 2);
    const sent = Array.from({ length: 5 }, () => fresh.read(large, "only"));
    const answers = await Promise.allSettled(sent);
    const refused = answers.flatMap((answer) =>
      answer.status === "rejected" ? [statusOf(answer.reason)] : [],
    );
    expect(refused.map(({ code, details }) => [code, details?.retryAfterSeconds])).toEqual(
      Array.from({ length: 3 }, () => [429, 1]),
    );
    expect(await fresh.read(large, "only")).toMatchObject({ json: "null" });
  });

  it("does not hold up others", async () => {
    let turns = 0;
    const text = `a: [${'"'.repeat(20_000)}]`;
    const reading = reader.read(text, "only").catch(() => undefined);
    const done = reading.then(() => true);
    while (!(await Promise.race([done, realClock.sleep(5).then(() => false)]))) turns++;
    expect(turns).toBeGreaterThan(3);
  });
});
