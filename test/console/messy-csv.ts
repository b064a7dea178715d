/** Returns a random generator with values below 1. The same seed gives the same values. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const names = ["Müller", "Größwang", "Çelik", "Łukasik", "Ørsted", "Bäcker", "Straße 7", "O'Brien", "Süß & Söhne"];
const forms = ["GmbH", "AG", "KG", "e.K.", "GmbH & Co. KG"];
const cities = ["Köln", "München", "Zürich", "Düsseldorf", "Linz"];
/** Options of a required list of the demo tenant. */
const segments = ["SMB", "Mid-Market", "enterprise", "SMB", "SMB", "SMB", "SMB", "SMB", "SMB", "Konzern"];
const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `  ${name} `,
];

/**
 * Returns a CSV file of accounts as people have them: a byte order mark, semicolons, CRLF, umlauts, dates and numbers
 * of Germany, wrong email addresses and options, and names that repeat in other spellings.
 */
export function messyCsv({ rows, seed = 1 }: { readonly rows: number; readonly seed?: number }): string {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const lines = ["Firma;E-Mail;Telefon;Ort;Notiz;Kunde seit;Kreditrahmen;Standorte;Segment"];
  for (let row = 1; row <= rows; row++) {
    const isRepeated = row > 20 && random() < 0.04;
    const number = isRepeated ? row - 1 - Math.floor(random() * 20) : row;
    const name = pick(spellings)(`${names[number % names.length]} ${forms[number % forms.length]} ${number}`);
    const email = random() < 0.05 ? pick(["kein", "a@", "info(at)firma.de", "x@y@z.de"]) : `info${row}@firma.example`;
    const note = pick(["", "Zeile 1", '"mit ""Zitat"" und ; Semikolon"', '"zwei\r\nZeilen"']);
    const day = String(1 + Math.floor(random() * 28));
    const date = random() < 0.03 ? "31.02.2024" : `${day}.${1 + Math.floor(random() * 12)}.20${10 + (row % 15)}`;
    const credit =
      random() < 0.03 ? "viel" : `${1 + (row % 9)}.${String(row % 1000).padStart(3, "0")},${10 + (row % 90)}`;
    const cells = [name, email, `0221 ${row}`, pick(cities), note, date, credit, String(row % 40), pick(segments)];
    lines.push((random() < 0.01 ? [...cells, "zu viel"] : cells).join(";"));
  }
  return `\ufeff${lines.join("\r\n")}\r\n`;
}
