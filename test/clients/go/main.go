// Command trial uses the client that oapi-codegen generates. The server drops the response of the first POST.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/trial/crm"
	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
)

func main() {
	ctx := context.Background()
	// docs:start
	authenticate := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", os.Getenv("CRM_API_KEY"))
		return nil
	}
	client, err := crm.NewClientWithResponses(os.Getenv("CRM_URL"), crm.WithRequestEditorFn(authenticate))
	check(err)

	name, key := "Nordlys "+uuid.NewString(), uuid.NewString()
	account := crm.AccountCreate{
		Name:         name,
		Document:     nullable.NewNullableWithValue("NO 912"),
		CustomFields: &crm.CustomFieldValues{"segment": "SMB"},
	}
	created, err := client.CreateAccountWithResponse(ctx, &crm.CreateAccountParams{IdempotencyKey: &key}, account)
	attempts := 1
	for ; err != nil && attempts < 3; attempts++ { // The same Idempotency-Key creates the account once.
		created, err = client.CreateAccountWithResponse(ctx, &crm.CreateAccountParams{IdempotencyKey: &key}, account)
	}
	check(err)

	change := crm.AccountUpdate{Document: nullable.NewNullNullable[string]()}
	updated, err := client.UpdateAccountWithResponse(ctx, created.JSON201.Data.Id, nil, change)
	check(err)

	limit, pages, found := 2, 0, 0
	for cursor := (*string)(nil); pages == 0 || cursor != nil; pages++ {
		page, err := client.ListAccountsWithResponse(ctx, &crm.ListAccountsParams{Limit: &limit, Cursor: cursor})
		check(err)
		for _, each := range page.JSON200.Data {
			if each.Name == name {
				found++
			}
		}
		cursor = nil
		if next, err := page.JSON200.NextCursor.Get(); err == nil {
			cursor = &next
		}
	}

	account.CustomFields = &crm.CustomFieldValues{"segment": "?"}
	problem, err := client.CreateAccountWithResponse(ctx, nil, account)
	check(err)
	for _, each := range *problem.JSON422.Error.Details.Errors {
		fmt.Println(each.Path, each.Message)
	}
	// docs:end

	errors := *problem.JSON422.Error.Details.Errors
	if attempts != 2 || !updated.JSON200.Data.Document.IsNull() || pages < 3 || found != 1 ||
		len(errors) != 1 || errors[0].Path != "/customFields/segment" {
		log.Fatal("unexpected: ", attempts, updated.JSON200, pages, found, errors)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
