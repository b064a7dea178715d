export { normalizeCase } from "../model/normalize.ts";
export {
  type ApiRecord,
  batchSender,
  listCustomFields,
  readPages,
  recordFinder,
  type TransferQuery,
  type TransferRequest,
} from "./api-requests.ts";
export { type Columns, columnsOf, mapColumns, missingTargets, parseMapping } from "./column-mapping.ts";
export { type ColumnTarget, type CustomField, completeTargets, isWritable } from "./column-target.ts";
export { type ColumnTemplate, parseTemplates } from "./column-template.ts";
export { decodeText } from "./decode-text.ts";
export { collections, type Entity, entities, entitiesWithFields, upsertFields } from "./entities.ts";
export { type ExportOptions, exportRecords } from "./export-records.ts";
export { fieldTargets } from "./field-targets.ts";
export { type GuessOptions, guessColumns, sortParts } from "./guess-columns.ts";
export { guessDateFormats, guessDecimals, guessEncoding } from "./guess-format.ts";
export type {
  ImportCounts,
  ImportItem,
  ImportOperation,
  ImportOptions,
  ImportProgress,
  RowProblem,
  SendBatch,
} from "./import-types.ts";
export { dateFormats, encodings, type LocaleFormat } from "./locale-format.ts";
export { createKeyMapping } from "./ndjson-key-mapping.ts";
export { type OpenRows, openRows, type RowOptions } from "./open-rows.ts";
export { type ProblemGroup, ProblemGroups, wrongValues } from "./problem-groups.ts";
export {
  type FileFault,
  type Format,
  formatByName,
  formats,
  MappingError,
  type RawRow,
  TransferError,
} from "./raw-row.ts";
export type { Named } from "./record-index.ts";
export type { RecordFinder } from "./reference-resolver.ts";
export { createRejectFormat, type RejectFormat, type RejectShape } from "./reject-format.ts";
export { type ApiFailure, messagesOf, type RowError } from "./row-errors.ts";
export {
  csvRowValues,
  jsonRowValues,
  type KeyMapping,
  mapValues,
  type RowValues,
  type TargetValue,
  type ValueMap,
} from "./row-values.ts";
export { type ImportResult, type ImportTools, runImport } from "./run-import.ts";
export { suggestName } from "./suggest-name.ts";
export { createTargetFinder, type TargetFinder } from "./target-finder.ts";
