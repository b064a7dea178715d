import { one, two, unknown } from "../../support/crm.ts";

/** Values as JSON: accepted ones, with the stored value after an arrow, and rejected ones by error code. */
export type ValueKind = { readonly accepted: string; readonly rejected: Readonly<Record<string, string>> };

const long = (count: number, text = "x"): string => JSON.stringify(text.repeat(count));
const noText = '1 | true | [] | {} | ["a"] | {"text":"a"} | 1e999';
/** Texts that no storage accepts: lone surrogates and NUL. */
const unstorable = String.raw`"\ud800" | "\udfff" | "a\udc00b" | "\ude00\ud83d" | "\ud83d" | "a\u0000" | "\u0000"`;
/** Unusual but valid texts: right to left, marks, joiners, private use, the last character, controls. */
const odd = String.raw`"\u202egnirts" | "e\u0301\u0301\u0301" | "👩\u200d👩\u200d👧" | "\ue000" | "\udbff\udfff" | "\u0007"`;
const markup = String.raw`"<script>alert(1)</script>" | "'; DROP TABLE accounts; --" | "${"$"}{jndi:x}" | "=1+1" | "%00" | "\\u0000"`;
const noUuid = `"" | "1" | "${one.account} " | "{${one.account}}" | "urn:uuid:${one.account}" | "${"0".repeat(32)}"`;
const invalidIds = [
  unknown,
  two.account,
  two.member,
  two.contact,
  two.stage,
  two.pipeline,
  "0".repeat(8) + "-0000".repeat(3) + "-".padEnd(13, "0"),
];

const reference = (own: string): ValueKind => ({
  accepted: `"${own}" | "${own.toUpperCase()}" => "${own}"`,
  rejected: {
    invalid_type: '1 | true | [] | {} | ["a"]',
    invalid_format: noUuid,
    not_found: invalidIds.map((id) => `"${id}"`).join(" | "),
  },
});
const orNull = ({ accepted, rejected }: ValueKind): ValueKind => ({ accepted: `${accepted} | null`, rejected });
const neverNull = ({ accepted, rejected }: ValueKind): ValueKind => ({
  accepted,
  rejected: { ...rejected, invalid_type: `${rejected.invalid_type} | null` },
});
const oneOf = (words: readonly string[]): ValueKind => ({
  accepted: words.map((word) => `"${word}"`).join(" | "),
  rejected: {
    not_an_option: `"" | "${words[0]?.toUpperCase()}" | " ${words[0]}" | "${words[0]}\\n" | "__proto__" | "constructor"`,
    invalid_type: '0 | true | [] | {} | ["a"] | null',
  },
});

const emptyIsNull = ({ accepted, rejected }: ValueKind): ValueKind => ({
  accepted: `${accepted} | "" => null`,
  rejected: Object.fromEntries(Object.entries(rejected).map(([code, values]) => [code, values.replace(/^"" \| /, "")])),
});

const filled: ValueKind = {
  accepted: `${odd} | ${markup} | " a " | "\\u200b" | "0" | ${long(255)} | ${long(255, "😀")} | ${long(127, "e\u0301")}`,
  rejected: {
    invalid_type: noText,
    required: String.raw`"" | " " | "\t\n\r" | "\u00a0" | "\u3000\u2003" | "\ufeff"`,
    too_long: `${long(256)} | ${long(256, "😀")} | ${long(500_000)} | ${long(128, "e\u0301")}`,
    invalid_format: unstorable,
  },
};

const instant: ValueKind = {
  accepted: [
    '"2024-02-29T00:00:00Z" => "2024-02-29T00:00:00.000Z" | "2026-03-01T09:30:00.1239Z" => "2026-03-01T09:30:00.123Z"',
    '"2026-03-01T00:30:00+14:00" => "2026-02-28T10:30:00.000Z" | "2026-03-01t00:00:00z" => "2026-03-01T00:00:00.000Z"',
    '"0001-01-01T00:00:00Z" => "0001-01-01T00:00:00.000Z" | "9999-12-31T23:59:59.999Z" | "1969-12-31T23:59:59.999Z"',
    '"2026-03-01T00:00:00-23:59" => "2026-03-01T23:59:00.000Z" | null',
    '"2026-03-01T10:00Z" => "2026-03-01T10:00:00.000Z" | "2026-03-01T10:00:00+0200" => "2026-03-01T08:00:00.000Z"',
    '"2026-03-01T10:00:00+02" => "2026-03-01T08:00:00.000Z" | "2026-12-31T23:59:60Z" => "2027-01-01T00:00:00.000Z"',
  ].join(" | "),
  rejected: {
    invalid_type: "1772366400 | 0 | true | [] | {} | 1e999",
    invalid_format: [
      '"2026-02-29T00:00:00Z" | "1900-02-29T00:00:00Z" | "2026-04-31T00:00:00Z" | "2026-13-01T00:00:00Z" | ""',
      '"2026-00-10T00:00:00Z" | "2026-01-00T00:00:00Z"',
      '"2026-03-01T24:00:00Z" | "2026-03-01T23:60:00Z" | "2026-03-01T00:00:00" | "2026-03-01" | "2026-03-01 00:00:00Z"',
      '"2026-03-01T00:00:00+24:00" | "2026-03-01T23:59:61Z" | "2026-03-01T00Z"',
      '"2026-W09-7T00:00:00Z" | "2026-060T00:00:00Z" | "20260301T000000Z" | "12026-03-01T00:00:00Z" | "26-03-01T00:00:00Z"',
      '"-0001-01-01T00:00:00Z" | "+002026-03-01T00:00:00Z" | "0000-01-01T00:00:00Z" | "0001-01-01T00:00:00+00:01" | "2026-03-01T00:00:00Z[UTC]"',
      '"9999-12-31T23:59:59-00:01" | "2026-03-01T00:00:00 Z" | " 2026-03-01T00:00:00Z" | "2026-03-01T00:00:00.Z"',
      '"Sun, 01 Mar 2026 00:00:00 GMT" | "now" | "1772366400" | "\\u0662026-03-01T00:00:00Z" | "2026-03-01T00:00:00−01:00"',
    ].join(" | "),
  },
};

export const valueKinds = {
  filled: neverNull(filled),
  filledOrNull: orNull(emptyIsNull(filled)),
  line: orNull(
    emptyIsNull({ accepted: `${filled.accepted} | " " | "\\ufeff"`, rejected: { ...filled.rejected, required: "" } }),
  ),
  link: {
    accepted: `"" => null | "a.example" | "HTTP://A.example/?q" | null`,
    rejected: {
      invalid_type: noText,
      too_long: `${long(2_049)} | ${long(2_049, "é")}`,
      invalid_format: `"javascript:alert(1)" | "a" | ${unstorable}`,
    },
  },
  anyText: {
    accepted: `${odd} | "" => null | ${long(65_536)} | ${long(65_536, "😀")} | null`,
    rejected: { invalid_type: noText, too_long: long(65_537), invalid_format: unstorable },
  },
  email: {
    accepted: String.raw`"a@b.co" | "\u00a0A@B.co\t" => "A@B.co" | "用户@例子.公司" | "o'neil+x@a.b" | "" => null | null`,
    rejected: {
      invalid_type: noText,
      invalid_format: String.raw`" " | "a" | "@" | "a@" | "@b.co" | "a@b" | "a@@b.co" | "a@b@c.co" | "a b@c.co" | "a@b..co" | "a@.co" | "a@b.co." | "<a@b.co>" | "a@b.co,c@d.co" | "mailto:a@b.co" | "a\n@b.co" | "a@[127.0.0.1]" | ${unstorable}`,
      too_long: `"${"a".repeat(250)}@b.co" | "a@${"b.".repeat(200)}co" | ${long(500_000, "@")}`,
    },
  },
  user: orNull(reference(one.member)),
  account: orNull(reference(one.account)),
  stage: neverNull(reference(one.stage)),
  pipeline: neverNull(reference(one.pipeline)),
  instant,
  day: {
    accepted: '"2024-02-29" | "2000-02-29" | "0001-01-01" | "9999-12-31" | null',
    rejected: {
      invalid_type: "20260301 | true | [] | {}",
      invalid_format:
        '"2026-02-29" | "1900-02-29" | "2026-04-31" | "2026-13-01" | "2026-00-01" | "2026-01-00" | "2026-1-1" | "" | "2026-03-01T00:00:00Z" | "2026-03-01 " | "01/03/2026" | "2026-W09" | "10000-01-01" | "0000-01-01" | "-0001-01-01" | "today"',
    },
  },
  amount: {
    accepted:
      "0 | -0 => 0 | 1 | -1 | 0.1 | 5e-324 | 1e308 | 1.7976931348623157e308 | 1E2 => 100 | 12345678901234567000 | null",
    rejected: {
      invalid_type: '"1" | "" | "1,00" | true | [] | [1] | {} | {"amount":1}',
      out_of_range: "1e309 | -1e309 | 1e999 | 2e308 | 1e-400 | 9007199254740993 | 12345678901234567890",
    },
  },
  currency: {
    accepted: '"EUR" | "JPY" | "BRL" | "eur" => "EUR" | null',
    rejected: {
      invalid_type: "978 | true | [] | {}",
      invalid_format: String.raw`"EU" | "EURO" | "" | " EUR" | "QQQ" | "€" | "ＥＵＲ" | "EUR\n" | "\ud800"`,
    },
  },
  priority: oneOf(["low", "medium", "high"]),
  taskStatus: oneOf(["pending", "completed", "canceled"]),
} satisfies Readonly<Record<string, ValueKind>>;
