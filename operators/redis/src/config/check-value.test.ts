import { describe, expect, it } from "vitest";
import { checkValue } from "./check-value.ts";
import { serverOf } from "./image-server.ts";

const check = (image: string, name: string, value: string): string | undefined =>
  checkValue(name, value, serverOf(image));

describe("a value", () => {
  it.each([
    ["hz", "50"],
    ["hz", '"50"'],
    ["appendonly", "YES"],
    ["maxmemory", "512mb"],
    ["maxmemory", "0"],
    ["maxmemory-policy", "AllKeys-LRU"],
    ["maxmemory-clients", "5%"],
    ["maxmemory-clients", "1g"],
    ["list-max-listpack-size", "-2"],
    ["shutdown-on-sigterm", "save now"],
    ["client-query-buffer-limit", "1mb "],
    // Only the server can tell.
    ["save", "900 1"],
    ["save", ""],
    ["client-output-buffer-limit", "normal 0 0 0"],
    ["proc-title-template", '"{title} of mine"'],
    ["of-the-future", "what?"],
  ])("that is taken: %s %s", (name, value) => {
    expect(check("redis:7.0", name, value)).toBeUndefined();
  });

  it.each([
    [
      "hz",
      "often",
      "is often, which Redis 7.0 does not take: it must be a whole number, from 0 to 2147483647",
    ],
    ["hz", "10 20", "it must be one word"],
    ["hz", "", "is empty, which"],
    ["hz", "010", "a whole number"],
    ["appendonly", "true", "it must be yes or no"],
    ["maxmemory", "1tb", "an amount of memory such as 512mb"],
    ["maxmemory", "80%", "an amount of memory such as 512mb"],
    ["maxmemory-clients", "101%", "or a share such as 5%"],
    ["maxmemory-policy", "lru", "it must be one of volatile-lru, volatile-lfu"],
    ["client-query-buffer-limit", "1m", "from 1048576 to 9223372036854775807"],
    ["shutdown-on-sigterm", "save later", "it must be some of default, save, nosave, now, force"],
    ["databases", "0", "from 1 to 2147483647"],
  ])("that is refused: %s %s", (name, value, why) => {
    expect(check("redis:7.0", name, value)).toContain(why);
  });

  it.each([
    ["redis:7.0", "loglevel", "nothing", false],
    ["redis:8.0", "loglevel", "nothing", true],
    ["redis:7.0", "maxmemory-samples", "100", true],
    ["redis:8.0", "maxmemory-samples", "100", false],
    // Between two versions that were asked, one of them is enough.
    ["redis:7.2", "loglevel", "nothing", true],
    ["redis:7.2", "maxmemory-samples", "100", true],
    ["redis:7", "loglevel", "loud", false],
    ["valkey/valkey:8.1", "io-threads", "256", true],
    ["redis:8.0", "io-threads", "256", false],
    ["redis:6.2", "appendonly", "maybe", false],
    // Newer than the table, or nobody knows what: the server will say.
    ["redis:8.6", "loglevel", "loud", true],
    ["redis:8", "loglevel", "loud", true],
    ["acme/cache:1", "loglevel", "loud", true],
  ])("is checked for the version: %s %s %s", (image, name, value, isTaken) => {
    expect(check(image, name, value) === undefined).toBe(isTaken);
  });
});
