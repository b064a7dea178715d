import type { Api, HostCaller } from "../../lib/index.ts";

/** Checked by the compiler only: each `@ts-expect-error` must be an error, and all other lines must compile. */
export async function operationTypes({ operations }: Api, caller: HostCaller): Promise<void> {
  const created = await operations.createTask({ caller, body: { title: "Call", priority: "high" } });
  const title: string = created.body.data.title;
  const page = await operations.listTasks({ caller, query: { limit: 1, status: "pending" } });
  const cursor: string | null = page.body.nextCursor;
  await operations.updateTask({ caller, params: { id: title }, body: { dueDate: null }, ifMatch: "*" });
  await operations.archiveTask({ caller, params: { id: title } });
  await operations.adminCreateUser({ caller, body: { name: "Ida", email: "ida@one.example", role: "admin" } });
  const keys = await operations.adminListIntegrations({ caller, query: { cursor: cursor ?? "" } });
  const name: string | undefined = keys.body.data[0]?.name;
  // @ts-expect-error no such operation
  await operations.creatTask({ caller, body: { title: name } });
  // @ts-expect-error no such field
  await operations.createTask({ caller, body: { title, prioritty: "high" } });
  // @ts-expect-error no such option
  await operations.createTask({ caller, body: { title, priority: "urgent" } });
  // @ts-expect-error a required field is missing
  await operations.createTask({ caller, body: { priority: "high" } });
  // @ts-expect-error the body is missing
  await operations.createTask({ caller });
  // @ts-expect-error no such filter
  await operations.listTasks({ caller, query: { state: "pending" } });
  // @ts-expect-error a filter of the list
  await operations.getTask({ caller, params: { id: title }, query: { status: "pending" } });
  // @ts-expect-error no such parameter
  await operations.getTask({ caller, params: { taskId: title } });
  // @ts-expect-error no such field in the response
  page.body.data[0]?.name;
  // @ts-expect-error no such field of an operation that exists only in process
  await operations.adminCreateUser({ caller, body: { nmae: "Ida" } });
}
