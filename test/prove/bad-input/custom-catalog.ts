/** Options that are odd as words, as keys and as patterns. */
const odd = [
  "constructor",
  "__proto__",
  "null",
  "0",
  "true",
  " edge ",
  "a,b",
  "İstanbul",
  "ﬁn",
  "ß",
  "😀",
  "e\u0301t\u00e9",
  "שלום",
  ".*",
  "Ω",
  "A".repeat(255),
];
const field = (entity: string, key: string, type: string, more: object = {}) => ({
  entity,
  key,
  label: key,
  type,
  ...more,
});
/** The edit of a tenant file that creates a catalog with many possible errors. */
export const customCatalog = {
  "/customFields": [
    field("account", "tag", "text", { maxLength: 1 }),
    field("account", "memo", "text"),
    field("account", "essay", "text", { maxLength: 10_000 }),
    field("account", "size", "number"),
    field("account", "budget", "currency"),
    field("account", "since", "date"),
    field("account", "odd", "list", { options: odd }),
    field("account", "many", "multi_list", { options: odd }),
    field("account", "constructor", "text"),
    ...["text", "number", "currency", "date"].map((type) =>
      field("contact", `${type}_field`, type, { required: true }),
    ),
    ...["list", "multi_list"].map((type) =>
      field("contact", `${type}_field`, type, { required: true, options: ["A", "B"] }),
    ),
    ...Array.from({ length: 200 }, (_, index) => field("opportunity", `f${index}`, "date")),
  ],
};
