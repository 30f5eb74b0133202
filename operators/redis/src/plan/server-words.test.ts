import { describe, expect, it } from "vitest";
import { serverWords } from "./server-words.ts";

describe("what a server said last", () => {
  it.each([
    [
      "a directive that it does not know",
      [
        "",
        "*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***",
        "Reading the configuration file, at line 7",
        ">>> 'maxmemory-polcy allkeys-lru'",
        "Bad directive or wrong number of arguments",
      ],
      "Reading the configuration file, at line 7 | >>> 'maxmemory-polcy allkeys-lru' | Bad directive or wrong number of arguments",
    ],
    [
      "data of a newer server",
      [
        "1:M 16 Nov 2026 09:58:40.715 * Ready to load",
        "1:M 16 Nov 2026 09:58:40.716 # Can't handle RDB format version 12",
        "1:M 16 Nov 2026 09:58:40.717 # Fatal error loading the DB: Invalid argument. Exiting.",
      ],
      "Can't handle RDB format version 12 | Fatal error loading the DB: Invalid argument. Exiting.",
    ],
    [
      "nothing bad",
      [
        "1:M 16 Nov 2026 09:58:40.714 # WARNING Memory overcommit must be enabled!",
        "1:M 16 Nov 2026 09:58:40.715 * Ready to accept connections tcp",
      ],
      "",
    ],
    [
      "a password",
      [`>>> 'requirepass "s3cret'`, "Unbalanced quotes in configuration line"],
      ">>> 'requirepass …' | Unbalanced quotes in configuration line",
    ],
    [
      "the end of a long log, which begins in a line",
      [
        "W for RDB: current 0 MB, peak 0 MB, average 0 MB",
        ...Array.from({ length: 40 }, () => "1:M 16 Nov 2026 09:58:40.715 * Background saving started"),
      ],
      "",
    ],
    ["nothing", [], ""],
  ])("%s", (_what, lines, expected) => {
    expect(serverWords(`${lines.join("\n")}\n`)).toBe(expected);
  });
});
