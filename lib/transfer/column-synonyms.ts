import type { ColumnTarget } from "./column-target.ts";
import type { Entity } from "./entities.ts";

/** Names that columns of other programs have, by target, in English and German. The most exact name is first. */
type Synonyms = Readonly<Record<string, string>>;

const email = "email, email address, mail, primary email, work email, business email, mailadresse, email adresse";
const phone =
  "phone, phone number, telephone, tel, telefon, telefonnummer, telefonnr, rufnummer, business phone, work phone, " +
  "telefon geschäftlich, main phone, zentrale, durchwahl, mobile, mobile phone, cell, handy, mobil, mobiltelefon, mobilnummer";
const owner =
  "owner, record owner, account owner, company owner, contact owner, deal owner, opportunity owner, sales rep, account manager, " +
  "zuständig, verantwortlich, verantwortlicher, betreuer, kundenbetreuer, ansprechpartner intern, bearbeiter, inhaber";
const description =
  "description, notes, note, comment, comments, remarks, beschreibung, notiz, notizen, bemerkung, bemerkungen, " +
  "kommentar, anmerkung, info";
const company =
  "company, company name, account name, organization, organisation, organization name, business name, firma, firmenname, " +
  "unternehmen, unternehmensname, betrieb, associated company, customer, customer name, client, kunde, kundenname";
const externalId =
  "external id, customer number, customer no, customer id, account number, record id, reference, kundennummer, kundennr, " +
  "kunden id, debitor, debitorennummer, externe id, referenz, nummer, nr";
const assignee =
  "assigned to, assignee, owner, responsible, zugewiesen an, zugewiesen, zuständig, verantwortlich, bearbeiter";
const related = {
  "contact.email": `contact email, contact, kontakt email, kontakt, ${email}`,
  "account.name": company,
};

const synonyms: Readonly<Partial<Record<Entity, Synonyms>>> = {
  account: {
    name: `${company}, name, name 1`,
    document:
      "registration number, company number, tax id, tax number, vat, vat id, vat number, registernummer, " +
      "handelsregisternummer, steuernummer, ust id, ust idnr, umsatzsteuer id, umsatzsteuernummer",
    website: "website, web site, url, homepage, domain, company domain name, web, webseite, internet, internetadresse",
    phone,
    email,
    description,
    "address.street":
      "street, street address, address, address line 1, address 1, billing street, straße, str, straße und hausnummer, " +
      "straße hausnummer, straße nr, anschrift, adresse",
    "address.city": "city, town, billing city, ort, stadt, wohnort",
    "address.state": "state, region, province, county, state region, billing state, bundesland, kanton, land region",
    "address.postalCode": "postal code, zip, zip code, postcode, billing postal code, plz, postleitzahl",
    "address.country": "country, country region, billing country, land, staat, länderkennzeichen",
    ownerId: owner,
    externalId,
  },
  contact: {
    name: "full name, name, contact name, contact, display name, vollständiger name, kontakt, kontaktname, ansprechpartner, person",
    email,
    phone,
    jobTitle: "job title, title, position, role, funktion, berufsbezeichnung, stellung, rolle, abteilung",
    accountId: `account, ${company}`,
    ownerId: owner,
    externalId: `contact id, kontakt id, kontaktnummer, personalnummer, ${externalId}`,
  },
  opportunity: {
    name:
      "deal name, opportunity name, deal, opportunity, title, subject, verkaufschance, chance, bezeichnung, titel, betreff, " +
      "projekt, projektname",
    accountId: `account, ${company}`,
    contactIds:
      "contact, contacts, associated contact, primary contact, contact email, kontakt, kontakte, ansprechpartner",
    pipelineId: "pipeline, vertriebspipeline",
    stageId: "stage, deal stage, sales stage, phase, verkaufsphase, vertriebsphase, stufe",
    status: "status, state",
    amount: "amount, value, deal value, deal amount, total, betrag, wert, summe, auftragswert, volumen, angebotssumme",
    currency: "currency, currency code, währung",
    expectedCloseDate:
      "close date, expected close date, closing date, abschlussdatum, erwartetes abschlussdatum, erwarteter abschluss, abschluss",
    ownerId: owner,
    lostReason: "lost reason, loss reason, closed lost reason, verlustgrund, absagegrund",
    externalId: `deal id, opportunity id, angebotsnummer, projektnummer, ${externalId}`,
  },
  task: {
    title: "title, task, subject, name, summary, titel, aufgabe, betreff, bezeichnung",
    description,
    priority: "priority, priorität, wichtigkeit",
    status: "status, state",
    dueDate: "due date, due, deadline, fällig, fällig am, fälligkeit, fälligkeitsdatum, termin, frist",
    assignedTo: assignee,
    ...related,
  },
  note: {
    body: `text, body, content, inhalt, ${description}`,
    authorId: "author, created by, written by, verfasser, autor, erstellt von, angelegt von",
    occurredAt: "date, time, occurred at, created at, datum, zeitpunkt, zeit, erstellt am, angelegt am",
    externalId: "note id, notiz id, external id, externe id",
    ...related,
  },
};

/**
 * Names of custom fields that mean the same. A custom field whose key or label is in a group matches the other names.
 */
const customGroups: readonly string[] = [
  "customer since, client since, kunde seit, kundenbeginn, eintrittsdatum",
  "credit limit, credit line, kreditlimit, kreditrahmen, kreditlinie",
  "sites, number of sites, locations, number of locations, branches, standorte, anzahl standorte, filialen, anzahl filialen",
  "segment, customer segment, kundensegment, customer group, kundengruppe",
  "category, kategorie, type, customer type, typ, kundentyp, kundenart",
  "industry, sector, branche, wirtschaftszweig",
  "revenue, annual revenue, turnover, umsatz, jahresumsatz",
  "employees, number of employees, company size, mitarbeiter, anzahl mitarbeiter, mitarbeiterzahl, firmengröße",
  "size, größe",
  "source, lead source, original source, quelle, herkunft, leadquelle",
  "language, preferred language, sprache, korrespondenzsprache",
  "birthday, date of birth, birth date, geburtstag, geburtsdatum",
  "department, abteilung",
  "salutation, anrede",
  "budget, customers budget, kundenbudget",
  "delivery notes, delivery instructions, lieferhinweise, lieferhinweis",
  "installation date, install date, installationsdatum, einbaudatum",
  "competitors, competitor, wettbewerber, mitbewerber, konkurrenz",
  "product lines, products, produktlinien, produkte",
  "payment terms, zahlungsbedingungen, zahlungsziel",
];

/** Parts of a value that columns can have separately, in the order in which they are joined. */
export const nameParts = [
  "first name, firstname, given name, vorname",
  "last name, lastname, surname, family name, nachname, familienname",
];
export const streetPart = "house number, house no, hausnummer, hausnr, hnr";

/**
 * Returns a name for comparison: in lower case and only with letters and digits. "Straße", "Strasse" and "E-Mail:"
 * equal "strasse" and "email".
 */
export function synonymKey(name: string): string {
  const umlauts: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => umlauts[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Returns the keys of a list of names. */
export function keysOf(names: string): readonly string[] {
  return names.split(",").map(synonymKey);
}

/** Returns the keys of the names that a target can have in a file, the most exact one first. */
export function synonymsOf(entity: Entity, { name, field, member, label }: ColumnTarget): readonly string[] {
  if (field !== "customFields") return keysOf(synonyms[entity]?.[name] ?? "").filter(Boolean);
  const own = [member ?? name, label ?? ""].map(synonymKey).filter(Boolean);
  const groups = customGroups.map(keysOf).filter((keys) => keys.some((key) => own.includes(key)));
  return [...own, ...groups.flat()];
}
