import { describe, expect, it } from "vitest";
import { checkConfig } from "./check-config.ts";

describe("directives", () => {
  it.each([
    ["maxmemory-policy", "allkeys-lru"],
    ["save", "900 1 300 10"],
    ["save", ""],
    ["client-output-buffer-limit", "normal 0 0 0"],
    ["oom-score-adj-values", "0 200 800"],
    ["rename-command", 'FLUSHALL ""'],
    ["proc-title-template", String.raw`"{title} \"x\" {listen-addr}"`],
    ["proc-title-template", "'{title}'"],
    ["logfile", 'a"b"'],
  ])("that are taken: %s %s", (key, value) => {
    expect(checkConfig({ [key]: value })).toEqual([]);
  });

  it.each([
    ["a line break", "save", "900 1\nrequirepass x", "control character"],
    ["a quote that is not closed", "logfile", '"/data/log', "quote that is not closed"],
    ["a quote that is not closed in a word", "logfile", 'a"b', "quote that is not closed"],
    ["a quote with something behind it", "logfile", '"a"b', "quote that is not closed"],
    ["a name with a space", "save 1", "2", "is not the name of a directive"],
    ["a comment as a name", "# a", "b", "is not the name of a directive"],
    ["a password", "requirepass", "secret", "use spec.auth"],
    ["a password in other letters", "RequirePass", "secret", "use spec.auth"],
    ["the port", "port", "1", "is set by the operator"],
    ["who is followed", "replicaof", "a 1", "use spec.replicas"],
  ])("that are refused: %s", (_what, key, value, why) => {
    const [refusal] = checkConfig({ [key]: value });
    expect(refusal?.field).toBe(`spec.config[${JSON.stringify(key)}]`);
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).not.toContain("secret");
  });

  it("are refused when there are two of one name", () => {
    expect(checkConfig({ save: "1 1", Save: "2 2" }).map(({ field }) => field)).toEqual([
      'spec.config["save"]',
    ]);
  });
});
