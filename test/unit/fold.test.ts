import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeEmail, normalizeName } from "../../lib/model/normalize.ts";

/** Names that count as equal. */
const same: readonly (readonly string[])[] = [
  ["Acme", "ACME", "acme", "  Acme\t", "Ａｃｍｅ"],
  ["Acme  Inc", "acme inc", "Acme\u00a0Inc", "Acme\u3000Inc", "Acme\n\tInc"],
  ["Straße", "STRASSE", "strasse"],
  ["STRAẞE", "Straße"],
  ["ΟΔΟΣ", "οδος", "οδοσ", "ΟΔΟς"],
  ["Café", "CAFE\u0301", "cafe\u0301"],
  ["ﬁrma", "FIRMA", "firma"],
  ["Ⅳ", "IV", "iv"],
  ["①", "1"],
  ["ŒUVRE", "œuvre"],
  ["Acme", "Ac\u200bme", "\u200eAcme\u200f", "A\u00adcme\ufeff"],
];

/** Names that count as different. */
const different: readonly (readonly [string, string])[] = [
  ["Café", "Cafe"],
  ["Acme Inc", "AcmeInc"],
  ["Acme", "Acme."],
  ["Müller", "Mueller"],
  ["Iğdır", "Igdir"],
  ["Акме", "Akme"],
  ["Œuvre", "Oeuvre"],
];

for (const names of same) {
  test(`${names.map((name) => JSON.stringify(name)).join(", ")} are the same name`, () => {
    assert.equal(new Set(names.map(normalizeName)).size, 1, JSON.stringify(names.map(normalizeName)));
  });
}

for (const [a, b] of different) {
  test(`"${a}" and "${b}" are different names`, () => assert.notEqual(normalizeName(a), normalizeName(b)));
}

test("normalizeName is idempotent and ignores case for every Unicode character", () => {
  const odd: string[] = [];
  for (let point = 1; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point);
    const cases = [character.toUpperCase(), character.toLowerCase()];
    const plain = [...cases, character.normalize("NFKC")].every((other) => other === character);
    if (plain || character === "ı") continue;
    const folded = normalizeName(`a${character}b`);
    const others = [folded, ...cases.map((other) => `a${other}b`)];
    if (others.some((other) => normalizeName(other) !== folded)) odd.push(character);
  }
  assert.deepEqual(odd, []);
});

test("normalizeEmail() ignores compatibility forms, zero-width characters and the form of the domain", () => {
  const key = "ana@xn--bcher-kva.example";
  for (const email of [
    "Ana@B\u00fccher.example",
    "a\u200bna@bu\u0308\u00adcher.example",
    "ａｎａ@ＢÜＣＨＥＲ．example",
  ])
    assert.equal(normalizeEmail(email), key);
  assert.equal(normalizeEmail(key.toUpperCase()), key);
  assert.notEqual(normalizeEmail("ana@faß.example"), normalizeEmail("ana@fass.example"));
  for (const domain of ["ü.example/a", "ü.example?a", "ü.example#a", "ü.example:80", "%78.ü", "ü.example\u0001"])
    assert.equal(normalizeEmail(`Ana@${domain}`), `ana@${domain}`);
});

test("email addresses are compared trimmed and without case", () => {
  assert.equal(normalizeEmail(" Ana@Example.COM "), "ana@example.com");
  assert.notEqual(normalizeEmail("a.na@example.com"), normalizeEmail("ana@example.com"));
  assert.notEqual(normalizeEmail("ana+crm@example.com"), normalizeEmail("ana@example.com"));
});
