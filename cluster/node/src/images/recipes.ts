import { packageLists } from "../debian/package-lists.ts";
import { answerScript, serveScript } from "./echo-scripts.ts";
import type { Recipe } from "./recipe.ts";

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The images that can be assembled; of several that fit a tag, the first one is taken. */
export const recipes: readonly Recipe[] = [
  { ...database("redis"), repository: "redis", suite: "bookworm", packages: packageLists.redis7 },
  { ...database("redis"), repository: "redis", suite: "trixie", packages: packageLists.redis8 },
  { ...database("valkey"), repository: "valkey/valkey", suite: "trixie", packages: packageLists.valkey },
  { ...database("valkey"), repository: "valkey/valkey", suite: "sid", packages: packageLists.valkey },
  {
    ...shell(),
    repository: "oliver006/redis_exporter",
    suite: "bookworm",
    packages: packageLists.redisExporter,
    version: { package: "prometheus-redis-exporter" },
    entrypoint: ["prometheus-redis-exporter"],
    command: [],
    latest: true,
  },
  { ...shell(), repository: "busybox", suite: "trixie", latest: true },
  { ...shell(), repository: "busybox", suite: "bookworm" },
  {
    ...shell(),
    repository: "kedge.dev/echo",
    suite: "bookworm",
    packages: packageLists.echo,
    version: { fixed: "1" },
    scripts: { "usr/bin/serve": serveScript, "usr/bin/answer": answerScript },
    entrypoint: ["serve"],
    command: [],
  },
];

/** As the official images of Redis and Valkey: data in /data, and root gives it to the user before it becomes it. */
function database(name: "redis" | "valkey"): Omit<Recipe, "repository" | "suite" | "packages"> {
  return {
    version: { package: `${name}-server` },
    users: [{ name, id: 999, home: "/data" }],
    folders: [{ path: "data", owner: name }],
    scripts: { "usr/local/bin/docker-entrypoint.sh": entrypointScript(name) },
    entrypoint: ["docker-entrypoint.sh"],
    command: [`${name}-server`],
    environment: { PATH: path },
    workingDirectory: "/data",
    user: "",
  };
}

function entrypointScript(name: string): string {
  return `#!/bin/sh
set -e
# Options or a configuration file alone are meant for the server.
if [ "\${1#-}" != "$1" ] || [ "\${1%.conf}" != "$1" ]; then
  set -- ${name}-server "$@"
fi
if [ "$(id -u)" = 0 ]; then
  case "$1" in
    ${name}-server | ${name}-sentinel)
      find . ! -user ${name} -exec chown ${name}:${name} {} +
      program=$(command -v "$1")
      shift
      exec start-stop-daemon -S -c ${name}:${name} -x "$program" -- "$@"
      ;;
  esac
fi
exec "$@"
`;
}

function shell(): Omit<Recipe, "repository" | "suite"> {
  return {
    packages: packageLists.busybox,
    version: { package: "busybox-static" },
    users: [],
    folders: [],
    scripts: {},
    entrypoint: [],
    command: ["sh"],
    environment: { PATH: path },
    workingDirectory: "/",
    user: "",
  };
}
