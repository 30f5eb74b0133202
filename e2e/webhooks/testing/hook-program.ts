/**
 * What runs in the pods: a webhook that refuses red config maps, tells by a label which pod has seen the others, and
 * converts palettes: `color` of v1 is the only one of `colors` of v2. It is an API server, too: of tints, each of which is
 * called as whoever asks.
 */
export const hookProgram = String.raw`
const { createServer } = require("node:https");
const { readFileSync } = require("node:fs");
const { hostname } = require("node:os");

const answers = {
  "/validate": ({ uid, object }) =>
    object.data?.color === "red"
      ? { uid, allowed: false, status: { code: 422, message: "red is taken" } }
      : { uid, allowed: true },
  "/mutate": ({ uid, object }) => {
    const value = { ...object.metadata.labels, "seen-by": hostname() };
    const patch = [{ op: "add", path: "/metadata/labels", value }];
    return {
      uid,
      allowed: true,
      patchType: "JSONPatch",
      patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
    };
  },
  "/convert": ({ uid, objects, desiredAPIVersion }) => ({
    uid,
    result: { status: "Success" },
    convertedObjects: objects.map(({ color, colors, ...rest }) => ({
      ...rest,
      apiVersion: desiredAPIVersion,
      ...(desiredAPIVersion.endsWith("/v2") ? { colors: colors ?? [color] } : { color: color ?? colors[0] }),
    })),
  }),
};

const tints = { name: "tints", singularName: "tint", namespaced: true, kind: "Tint", verbs: ["list"] };
const apis = {
  "/apis/tints.example.com/v1": () => ({
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "tints.example.com/v1",
    resources: [tints],
  }),
  "/apis/tints.example.com/v1/namespaces/hooked/tints": (headers) => ({
    kind: "TintList",
    apiVersion: "tints.example.com/v1",
    metadata: {},
    items: [{ metadata: { name: headers["x-remote-user"], namespace: "hooked" } }],
  }),
};

const tls = { cert: readFileSync("/tls/tls.crt"), key: readFileSync("/tls/tls.key") };
createServer(tls, async (request, response) => {
  const path = request.url.split("?")[0];
  response.setHeader("content-type", "application/json");
  if (request.method === "GET") {
    response.statusCode = path in apis ? 200 : 404;
    return void response.end(JSON.stringify(apis[path]?.(request.headers) ?? {}));
  }
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { apiVersion, kind, request: review } = JSON.parse(Buffer.concat(pieces));
  const answer = answers[path](review);
  response.end(JSON.stringify({ apiVersion, kind, response: answer }));
}).listen(8443);
process.on("SIGTERM", () => process.exit(0));
`;
