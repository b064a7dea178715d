import { one, two } from "../../support/crm.ts";

/** A parameter that every operation rejects, with the path and the code of the error. */
export const unknownParameters: readonly (readonly [query: string, path: string, code: string])[] = [
  ["nothing=1", "?nothing", "unknown_key"],
  ["nothing", "?nothing", "unknown_key"],
  ["=1", "?", "unknown_key"],
  ["=", "?", "unknown_key"],
  ["a[]=1", "?a[]", "unknown_key"],
  ["limit[]=1", "?limit[]", "unknown_key"],
  ["filter[status]=pending", "?filter[status]", "unknown_key"],
  ["limit.gt=1", "?limit.gt", "unknown_key"],
  ["Limit=1", "?Limit", "unknown_key"],
  ["%20limit=1", "? limit", "unknown_key"],
  ["limit%00=1", "?limit\0", "unknown_key"],
  ["__proto__=1", "?__proto__", "unknown_key"],
  ["constructor=1", "?constructor", "unknown_key"],
  ["__proto__[admin]=1", "?__proto__[admin]", "unknown_key"],
  ["hasOwnProperty=1", "?hasOwnProperty", "unknown_key"],
  ["toString", "?toString", "unknown_key"],
  ["length=1", "?length", "unknown_key"],
  ["%F0%9F%98%80=1", "?😀", "unknown_key"],
  ["e%CC%81=1", "?e\u0301", "unknown_key"],
  ["api_key=1", "?api_key", "unknown_key"],
  ["_=1772366400", "?_", "unknown_key"],
  ["callback=alert", "?callback", "unknown_key"],
  ["a;b=1", "?a;b", "unknown_key"],
  ["a?b=1", "?a?b", "unknown_key"],
  [`${"k".repeat(5_000)}=1`, `?${"k".repeat(100)}`, "unknown_key"],
  ["%=1", "?%", "invalid_format"],
  ["%zz=1", "?%zz", "invalid_format"],
  ["%E9=1", "?%E9", "invalid_format"],
  ["%C0%AF=1", "?%C0%AF", "invalid_format"],
  ["%ED%A0%80=1", "?%ED%A0%80", "invalid_format"],
  ["%F4%90%80%80=1", "?%F4%90%80%80", "invalid_format"],
  ["nothing=%", "?nothing", "invalid_format"],
  ["nothing=%FF", "?nothing", "invalid_format"],
  ["nothing=%E2%82", "?nothing", "invalid_format"],
];

const wrongKeys: readonly (readonly [value: string, code: string])[] = [
  ...["", "%20", "a,", ",a", "a,%20"].map((value): [string, string] => [value, "required"]),
  [`a,${"x".repeat(256)}`, "too_long"],
  ["a,b%00", "invalid_format"],
  [Array.from({ length: 101 }, (_, index) => index).join(), "out_of_range"],
];

const notBooleans = ["", "1", "0", "TRUE", "True", "yes", "true%20", "%22true%22", "on"].map(
  (value) => [value, "not_an_option"] as const,
);

/** Values that a kind of filter rejects, by error code. */
export const wrong: Readonly<Record<string, readonly (readonly [value: string, code: string])[]>> = {
  limit: ["", "0x1", "1e1", "1.0", "+1", "%201", "1%20", "1,2", "١", "NaN", "9".repeat(16), "true", "null"]
    .map((value): readonly [string, string] => [value, "invalid_type"])
    .concat(["0", "-1", "201", "999999999999999"].map((value) => [value, "out_of_range"])),
  includeArchived: notBooleans,
  count: notBooleans,
  active: ["", "1", "TRUE", "no"].map((value) => [value, "not_an_option"]),
  status: ["", "Pending", "pending,completed", "*", "__proto__", "open%20"].map((value) => [value, "not_an_option"]),
  updatedSince: [
    "now",
    "2026-03-01",
    "2026-03-01T00:00:00",
    "1772366400",
    "2026-02-30T00:00:00Z",
    "2026-03-01T00:00:00+01:00",
  ].map((value) => [value, "invalid_format"]),
  order: ["", "UpdatedAt", "--updatedAt", "%2BupdatedAt", "updatedAt,name", "id", "title", "-", "__proto__"].map(
    (value) => [value, "not_an_option"],
  ),
  types: ["", "task", "Task.created", "task.*,", "task.done", "user.created", "__proto__"].map((value) => [
    value,
    "not_an_option",
  ]),
  excludeOwn: ["", "1", "TRUE", "no"].map((value) => [value, "not_an_option"]),
  code: ["", "Conflict", "conflict,duplicate", "404", "constructor"].map((value) => [value, "not_an_option"]),
  operation: [
    ["", "required"],
    ["x".repeat(101), "too_long"],
    ["a%00", "invalid_format"],
  ],
  since: ["now", "2026-03-01", "2026-02-30T00:00:00Z"].map((value) => [value, "invalid_format"]),
  until: ["now", "2026-03-01", "2026-02-30T00:00:00Z"].map((value) => [value, "invalid_format"]),
  entity: ["", "Account", "accounts", "task", "constructor"].map((value) => [value, "not_an_option"]),
  for: ["", "Create", "replace", "create,update"].map((value) => [value, "not_an_option"]),
  email: ["", "a", "a@b", "a@b.co,c@d.co", "%00@b.co"].map((value) => [value, "invalid_format"]),
  name: ["", "%20", "%E3%80%80"]
    .map((value): readonly [string, string] => [value, "required"])
    .concat([
      ["x".repeat(256), "too_long"],
      ["a%00", "invalid_format"],
    ]),
  ids: ["", "1", "*", `${one.account}%20`, `{${one.account}}`, `${one.account},`, `,${one.account}`]
    .map((value): readonly [string, string] => [value, "invalid_format"])
    .concat([[Array.from({ length: 101 }, () => one.account).join(), "out_of_range"]]),
  emails: ["", "a", "a@b.co,", ",a@b.co", "a@b.co\\,c@d.co", "a@b.co;c@d.co", "a@b.co,%00@b.co"].map((value) => [
    value,
    "invalid_format",
  ]),
  names: wrongKeys,
  externalIds: wrongKeys,
  phone: ["", "%20", "%2B", "n/a", "%D9%A1%D9%A2", "1%00"]
    .map((value): readonly [string, string] => [value, "invalid_format"])
    .concat([["1".repeat(256), "too_long"]]),
  q: ["", "%20"]
    .map((value): readonly [string, string] => [value, "required"])
    .concat([
      ["%F0%9F%8E%89", "invalid_format"],
      ["*", "invalid_format"],
      ["x".repeat(201), "too_long"],
      ["a%00", "invalid_format"],
    ]),
  externalId: ["", "%20"]
    .map((value): readonly [string, string] => [value, "required"])
    .concat([
      ["x".repeat(256), "too_long"],
      ["%00", "invalid_format"],
    ]),
};
/** Values that the filter of requests by status rejects. */
export const wrongRequestStatuses: readonly string[] = ["", "4XX", "4xx,5xx", "600", "42", "4220", "*", "pending"];

/** Texts that aren't an ID. */
export const wrongIds: readonly string[] = [
  "",
  "1",
  "null",
  "*",
  `${one.account}%20`,
  `{${one.account}}`,
  `${one.account},${two.account}`,
  one.account.slice(1),
];
