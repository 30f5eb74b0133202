import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  validateHttpHeaderName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { Lifecycle, LifecycleHandler, Probe } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, nonNegative, optionalOneOf, required } from "../validation/field-rules.ts";
import { validatePort } from "../validation/port.ts";

/** What is wrong with one of a container's probes. */
export function validateProbe(
  probe: Decoded<Probe> | undefined,
  type: "liveness" | "readiness" | "startup",
  path: FieldPath,
): FieldError[] {
  if (probe === undefined) return [];
  const errors = [
    ...handlerErrors(probe, undefined, path),
    ...times.flatMap((time) => nonNegative(probe[time], path.child(time))),
  ];
  const grace = probe.terminationGracePeriodSeconds;
  const gracePath = path.child("terminationGracePeriodSeconds");
  if (grace !== undefined && grace <= 0)
    errors.push(fieldInvalid(gracePath, grace, "must be greater than 0"));
  if (type === "readiness") {
    if (grace !== undefined)
      errors.push(fieldInvalid(gracePath, grace, "must not be set for readinessProbes"));
  } else if (probe.successThreshold !== 1) {
    errors.push(fieldInvalid(path.child("successThreshold"), probe.successThreshold ?? 0, "must be 1"));
  }
  return errors;
}

/** What is wrong with what a container does when it starts and before it stops. */
export function validateLifecycle(
  lifecycle: Decoded<Lifecycle> | undefined,
  gracePeriod: number | undefined,
  path: FieldPath,
): FieldError[] {
  const { postStart, preStop } = lifecycle ?? {};
  return [
    ...(postStart === undefined ? [] : handlerErrors(postStart, gracePeriod, path.child("postStart"))),
    ...(preStop === undefined ? [] : handlerErrors(preStop, gracePeriod, path.child("preStop"))),
  ];
}

const times = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

type Handler = Pick<Decoded<Probe>, "exec" | "httpGet" | "tcpSocket" | "grpc"> &
  Pick<Decoded<LifecycleHandler>, "sleep">;

function handlerErrors(handler: Handler, gracePeriod: number | undefined, path: FieldPath): FieldError[] {
  const given = (["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const).filter(
    (type) => handler[type] !== undefined,
  );
  if (given.length === 0) return [fieldRequired(path, "must specify a handler type")];
  return given.flatMap((type, i) =>
    i === 0
      ? actionErrors(handler, type, { gracePeriod, path: path.child(type) })
      : [fieldForbidden(path.child(type), "may not specify more than 1 handler type")],
  );
}

function actionErrors(
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  type: keyof Handler,
  { gracePeriod, path }: { readonly gracePeriod: number | undefined; readonly path: FieldPath },
): FieldError[] {
  switch (type) {
    case "exec":
      return (exec?.command ?? []).length === 0 ? [fieldRequired(path.child("command"))] : [];
    case "httpGet":
      return [
        ...required(httpGet?.path, path.child("path")),
        ...validatePort(httpGet?.port, path.child("port")),
        ...optionalOneOf(httpGet?.scheme, ["HTTP", "HTTPS"], path.child("scheme")),
        ...(httpGet?.httpHeaders ?? []).flatMap(({ name = "" }) =>
          named(name, validateHttpHeaderName, path.child("httpHeaders")),
        ),
      ];
    case "tcpSocket":
      return validatePort(tcpSocket?.port, path.child("port"));
    case "grpc":
      return validatePort(grpc?.port, path.child("port"));
    case "sleep": {
      const seconds = sleep?.seconds ?? 0;
      if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return [];
      const why = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
      return [fieldInvalid(path, seconds, why)];
    }
  }
}
