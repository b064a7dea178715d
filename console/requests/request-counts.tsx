import type { RequestTotal } from "crm-integrations/client";
import { useState } from "preact/hooks";
import { read } from "../api.ts";
import { displayNumber } from "../language.ts";
import { texts } from "../texts.ts";
import { Select, toOptions } from "../ui/choices.tsx";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { loadRequestContext } from "./request-links.ts";

const text = texts.requests;

/** The number of requests of the last day by operation, integration or error code. */
export function RequestCounts() {
  const [by, setBy] = useState<keyof typeof text.keys>("operation");
  const totals = useLoad(async (signal) => {
    const found = await read<readonly RequestTotal[]>("api/admin/requests/counts", { query: { by }, signal });
    if (by !== "integration") return found;
    const { integrations } = await loadRequestContext(signal);
    return found.map((each) => ({ ...each, key: integrations.find(({ id }) => id === each.key)?.name ?? each.key }));
  }, by);
  return (
    <section>
      <h2>{text.lastDay}</h2>
      <p>
        <Select label={`${text.by} `} value={by} options={toOptions(text.keys)} onChange={setBy} />
      </p>
      <LoadStatus of={totals} />
      {totals.value && (
        <Table
          caption={text.lastDay}
          rows={totals.value}
          keyOf={({ key }) => key ?? ""}
          empty={text.empty}
          columns={[
            { label: text.keys[by], render: ({ key }) => <span dir="auto">{key ?? texts.form.none}</span> },
            { label: text.count, isNumeric: true, render: ({ count }) => displayNumber(count) },
            { label: text.clientErrors, isNumeric: true, render: ({ clientErrors }) => displayNumber(clientErrors) },
            { label: text.serverErrors, isNumeric: true, render: ({ serverErrors }) => displayNumber(serverErrors) },
            { label: text.average, isNumeric: true, render: ({ averageMs }) => text.milliseconds(averageMs) },
            { label: text.longest, isNumeric: true, render: ({ maxMs }) => text.milliseconds(maxMs) },
          ]}
        />
      )}
    </section>
  );
}
