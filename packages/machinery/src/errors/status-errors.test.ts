import { expect, test } from "vitest";
import { fieldInvalid, fieldRequired } from "./field-error.ts";
import { fieldPath } from "./field-path.ts";
import {
  alreadyExists,
  applyConflict,
  badRequest,
  conflict,
  expired,
  forbidden,
  generateNameConflict,
  gone,
  internalError,
  invalid,
  methodNotSupported,
  notAcceptable,
  notFound,
  requestEntityTooLarge,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from "./status-errors.ts";
import { StatusError } from "./status.ts";

const pods = { group: "", plural: "pods", kind: "Pod" };
const deployments = { group: "apps", plural: "deployments", kind: "Deployment" };

// The expected texts are the JSON that k8s.io/apimachinery v0.36.4 makes of the same calls.
test.each<[StatusError, string]>([
  [
    notFound(deployments, "a\tb"),
    String.raw`"message":"deployments.apps \"a\\tb\" not found","reason":"NotFound","details":{"name":"a\tb","group":"apps","kind":"deployments"},"code":404`,
  ],
  [
    alreadyExists(pods, "x"),
    String.raw`"message":"pods \"x\" already exists","reason":"AlreadyExists","details":{"name":"x","kind":"pods"},"code":409`,
  ],
  [
    generateNameConflict(pods, "x", 1),
    String.raw`"message":"pods \"x\" already exists, the server was not able to generate a unique name for the object","reason":"AlreadyExists","details":{"name":"x","kind":"pods","retryAfterSeconds":1},"code":409`,
  ],
  [
    conflict(deployments, "x", "why"),
    String.raw`"message":"Operation cannot be fulfilled on deployments.apps \"x\": why","reason":"Conflict","details":{"name":"x","group":"apps","kind":"deployments"},"code":409`,
  ],
  [
    conflict(pods, "x"),
    String.raw`"message":"Operation cannot be fulfilled on pods \"x\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict","details":{"name":"x","kind":"pods"},"code":409`,
  ],
  [
    applyConflict([{ reason: "FieldManagerConflict", message: "m", field: ".spec.replicas" }], "one"),
    `"message":"one","reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"m","field":".spec.replicas"}]},"code":409`,
  ],
  [
    forbidden(deployments, "", "why"),
    `"message":"deployments.apps is forbidden: why","reason":"Forbidden","details":{"group":"apps","kind":"deployments"},"code":403`,
  ],
  [
    forbidden(deployments, "x", "why"),
    String.raw`"message":"deployments.apps \"x\" is forbidden: why","reason":"Forbidden","details":{"name":"x","group":"apps","kind":"deployments"},"code":403`,
  ],
  [
    forbidden(undefined, "x", "why"),
    `"message":"forbidden: why","reason":"Forbidden","details":{"name":"x"},"code":403`,
  ],
  [unauthorized(), `"message":"not authorized","reason":"Unauthorized","code":401`],
  [
    methodNotSupported(deployments, "patch"),
    String.raw`"message":"patch is not supported on resources of kind \"deployments.apps\"","reason":"MethodNotAllowed","details":{"group":"apps","kind":"deployments"},"code":405`,
  ],
  [
    notAcceptable(["application/json", "application/yaml"]),
    `"message":"only the following media types are accepted: application/json, application/yaml","reason":"NotAcceptable","code":406`,
  ],
  [
    unsupportedMediaType(["application/json"]),
    `"message":"the body of the request was in an unknown format - accepted media types include: application/json","reason":"UnsupportedMediaType","code":415`,
  ],
  [
    serverTimeout(deployments, "list", 2),
    `"message":"The list operation against deployments.apps could not be completed at this time, please try again.","reason":"ServerTimeout","details":{"name":"list","group":"apps","kind":"deployments","retryAfterSeconds":2},"code":500`,
  ],
  [timeout("slow"), `"message":"Timeout: slow","reason":"Timeout","details":{},"code":504`],
  [tooManyRequests("m"), `"message":"m","reason":"TooManyRequests","details":{},"code":429`],
  [
    tooManyRequests("m", 3),
    `"message":"m","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429`,
  ],
  [
    internalError(new Error("boom")),
    `"message":"Internal error occurred: boom","reason":"InternalError","details":{"causes":[{"message":"boom"}]},"code":500`,
  ],
  [
    requestEntityTooLarge("limit is 3145728"),
    `"message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413`,
  ],
  [gone("g"), `"message":"g","reason":"Gone","code":410`],
  [expired("e"), `"message":"e","reason":"Expired","code":410`],
  [badRequest("b"), `"message":"b","reason":"BadRequest","code":400`],
  [serviceUnavailable("s"), `"message":"s","reason":"ServiceUnavailable","code":503`],
  [
    invalid(deployments, "x", [
      fieldRequired(fieldPath("spec", "containers").index(0).child("name")),
      fieldInvalid("spec.replicas", -1, "must be greater than or equal to 0"),
      fieldInvalid("spec.replicas", -1, "must be greater than or equal to 0"),
    ]),
    String.raw`"message":"Deployment.apps \"x\" is invalid: [spec.containers[0].name: Required value, spec.replicas: Invalid value: -1: must be greater than or equal to 0]","reason":"Invalid","details":{"name":"x","group":"apps","kind":"Deployment","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.containers[0].name"},{"reason":"FieldValueInvalid","message":"Invalid value: -1: must be greater than or equal to 0","field":"spec.replicas"},{"reason":"FieldValueInvalid","message":"Invalid value: -1: must be greater than or equal to 0","field":"spec.replicas"}]},"code":422`,
  ],
  [
    invalid(pods, "x", [fieldRequired("spec")]),
    String.raw`"message":"Pod \"x\" is invalid: spec: Required value","reason":"Invalid","details":{"name":"x","kind":"Pod","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec"}]},"code":422`,
  ],
  [
    invalid(deployments, "x", []),
    String.raw`"message":"Deployment.apps \"x\" is invalid","reason":"Invalid","details":{"name":"x","group":"apps","kind":"Deployment"},"code":422`,
  ],
])("$message", (error, rest) => {
  expect(JSON.stringify(error.status)).toBe(
    `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",${rest}}`,
  );
});

test("a StatusError is an Error that carries what the server said", () => {
  const error = tooManyRequests("slow down", 3);
  expect(error).toBeInstanceOf(StatusError);
  expect(error).toMatchObject({
    name: "StatusError",
    message: "slow down",
    code: 429,
    reason: "TooManyRequests",
    retryAfterSeconds: 3,
    details: { retryAfterSeconds: 3 },
  });
});

test("an internal error keeps the error that it is about as its cause", () => {
  const cause = new Error("boom");
  expect(internalError(cause).cause).toBe(cause);
});
