import { describe, expect, test } from "vitest";
import { redactOutput, redactUrl } from "./redact.ts";

describe("a URL is shown", () => {
  test.each([
    ["https://host:6443/a", "https://host:6443/a"],
    ["https://me:pw@host", "https://***@host"],
    ["http://me:p@w/x@host:1", "http://***@host:1"],
    ["me:pw@host", "***@host"],
    ["foo", "foo"],
  ])("%s as %s", (value, shown) => {
    expect(redactUrl(value)).toBe(shown);
  });
});

describe("a program's output is shown", () => {
  test.each([
    ["login failed for me@example.com", "login failed for me@example.com"],
    ["got known-secret here", "got *** here"],
    ["short abc stays", "short abc stays"],
    ["jwt eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl!", "jwt ***!"],
    ["Authorization: Bearer abc.def-123", "Authorization: Bearer ***"],
    ['{"token": "abcdefgh"}', '{"token": "***"}'],
    ["password=hunter22 rest", "password=*** rest"],
    ["token k8s-aws-v1.aHR0cHM6Ly9zdHM", "token ***"],
    ["GET https://me:hunter22@host/x", "GET https://***@host/x"],
    ["a\n-----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY-----\nb", "a\n***\nb"],
    ["cut -----BEGIN PRIVATE KEY-----\nMHc", "cut ***"],
    ["\u001B[31mred\u001B[0m \u001B]0;title\u0007bell\u0007\tand\nline", "red bell\tand\nline"],
  ])("%j as %j", (text, shown) => {
    expect(redactOutput(text, ["known-secret", "abc", ""])).toBe(shown);
  });
});
