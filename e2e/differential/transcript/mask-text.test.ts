import { describe, expect, it } from "vitest";
import { parseScript } from "../script/parse-script.ts";
import { mark } from "./identify.ts";
import { textMask, type MaskFacts } from "./mask-text.ts";

const uid = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
const otherUid = "2b4e28ba-2fa1-41d2-883f-0016d3cca427";

function masking(facts: Partial<MaskFacts> = {}, said = ""): (text: string) => string {
  const text = `title: A script of a test\nsteps: [{ request: GET / }]\n# ${said}`;
  const own = { ns: "ns-i123456789", id: "i123456789" };
  const script = parseScript("test/script", text);
  return textMask({ script, own, versions: ["9", "10", "30"], generated: [], ...facts });
}

describe("textMask", () => {
  it.each([
    ["the run's own names", "ns-i123456789 and a.i123456789.example.com", "${ns} and a.${id}.example.com"],
    ["equal uids", `${uid} ${otherUid} ${uid}`, "<uid:1> <uid:2> <uid:1>"],
    ["seconds", "at 2026-11-15T23:05:00Z", "at <time>"],
    ["microseconds", "2026-11-15T23:05:00.123456Z", "<microtime>"],
    ["addresses of Services", "10.96.0.7 10.100.1.2 10.96.0.7", "<ip:1> <ip:2> <ip:1>"],
    [
      "not the one that never changes, nor a range, nor another address",
      "10.96.0.1 10.96.0.0/12 192.0.2.1",
      "10.96.0.1 10.96.0.0/12 192.0.2.1",
    ],
    ["tokens", "Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln", "Bearer <jwt>"],
    ["hashes", "0123456789abcdef".repeat(4), "<hash>"],
    ["no hash where one letter is repeated to be long", "a".repeat(64), "a".repeat(64)],
    [
      "versions inside JSON inside a message",
      String.raw`object {\"metadata\":{\"resourceVersion\":\"9\"}}`,
      String.raw`object {\"metadata\":{\"resourceVersion\":\"<rv:1+>\"}}`,
    ],
    [
      "versions of objects, by their age as numbers",
      `${mark("rv", "30")} ${mark("rv", "9")}`,
      "<rv:3> <rv:1>",
    ],
    [
      "versions of lists, by their place among them",
      `${mark("collection", "29")} ${mark("collection", "8")}`,
      "<rv:2+> <rv:0+>",
    ],
    [
      "versions in messages",
      "Too large resource version: 31, current: 30",
      "Too large resource version: <rv:3+>, current: <rv:3+>",
    ],
  ])("masks %s", (_what, text, masked) => {
    expect(masking()(text)).toBe(masked);
  });

  it("masks what the server has put behind a generateName, numbered as the names came", () => {
    const generated = ["web-bcd24", "web-xyz98"].map((name) => ({ name, prefix: "web-" }));
    expect(masking({ generated })('"web-xyz98" web-bcd24 "web-xyz98"')).toBe(
      '"web-<suffix:2>" web-<suffix:1> "web-<suffix:2>"',
    );
  });

  it("leaves what the script itself says", () => {
    const said = `${uid}, 10.96.0.7 and 2026-11-15T23:05:00Z`;
    expect(masking({}, said)(`${said}, ${otherUid}`)).toBe(`${said}, <uid:1>`);
  });
});
