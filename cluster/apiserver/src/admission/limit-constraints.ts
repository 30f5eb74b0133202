import { compareQuantities, parseQuantity, quantityIsZero, quantityMilliValue } from "@kedge/machinery";

/** Amounts of resources by their names. */
export type Amounts = Readonly<Record<string, string | undefined>>;

/** What a constraint of one resource says against what is asked for; undefined when it holds. */
export type Constraint = (
  name: string,
  enforced: string,
  of: { readonly type: string; readonly requests: Amounts; readonly limits: Amounts },
) => string | undefined;

/** At least so much must be asked for. */
export const minimum: Constraint = (name, enforced, { type, requests, limits }) => {
  const rule = `minimum ${name} usage per ${type} is ${enforced}`;
  const [request, limit] = [requests[name], limits[name]];
  if (request === undefined) return `${rule}.  No request is specified`;
  if (isLess(request, enforced)) return `${rule}, but request is ${request}`;
  return limit !== undefined && isLess(limit, enforced) ? `${rule}, but limit is ${limit}` : undefined;
};

/** At most so much may be used. */
export const maximum: Constraint = (name, enforced, { type, requests, limits }) => {
  const rule = `maximum ${name} usage per ${type} is ${enforced}`;
  const [request, limit] = [requests[name], limits[name]];
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (isLess(enforced, limit)) return `${rule}, but limit is ${limit}`;
  return request !== undefined && isLess(enforced, request)
    ? `${rule}, but request is ${request}`
    : undefined;
};

/** At most so much may be asked for. */
export const maximumRequest: Constraint = (name, enforced, { type, requests }) => {
  const rule = `maximum ${name} usage per ${type} is ${enforced}`;
  const request = requests[name];
  if (request === undefined) return `${rule}.  No request is specified`;
  return isLess(enforced, request) ? `${rule}, but request is ${request}` : undefined;
};

/** The limit may be at most so many times what is asked for. */
export const ratio: Constraint = (name, enforced, { type, requests, limits }) => {
  const rule = `${name} max limit to request ratio per ${type} is ${enforced}`;
  const [request, limit] = [requests[name], limits[name]];
  if (request === undefined || isZero(request)) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || isZero(limit)) return `${rule}, but no limit is specified or limit is 0`;
  const observed = milli(limit) / milli(request);
  return observed * 1000 > milli(enforced)
    ? `${rule}, but provided ratio is ${observed.toFixed(6)}`
    : undefined;
};

function isLess(one: string, other: string): boolean {
  return compareQuantities(parseQuantity(one), parseQuantity(other)) < 0;
}

function isZero(amount: string): boolean {
  return quantityIsZero(parseQuantity(amount));
}

function milli(amount: string): number {
  return Number(quantityMilliValue(parseQuantity(amount)));
}
