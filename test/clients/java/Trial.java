import crm.ApiClient;
import crm.ApiException;
import crm.api.AccountsApi;
import crm.model.*;
import java.util.*;

/** Uses the client that openapi-generator generates. The server drops the response of the first POST. */
public class Trial {
  public static void main(String[] arguments) throws Exception {
    // docs:start
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("CRM_URL"));
    client.setRequestInterceptor(request -> request.header("x-api-key", System.getenv("CRM_API_KEY")));
    AccountsApi accounts = new AccountsApi(client);

    AccountCreate body = new AccountCreate().name("Nordlys " + UUID.randomUUID()).document("NO 912").customFields(Map.of("segment", "SMB"));
    var request = AccountsApi.APICreateAccountRequest.newBuilder().accountCreate(body).idempotencyKey(UUID.randomUUID().toString()).build();
    Account created = null;
    int attempts = 0;
    while (created == null) {
      try {
        attempts++;
        created = accounts.createAccount(request).getData();
      } catch (ApiException problem) {
        // No response. The same Idempotency-Key creates the account once.
        if (problem.getCode() != 0 || attempts == 3) throw problem;
      }
    }

    var clearing = new AccountUpdate().document(null);
    var update = AccountsApi.APIUpdateAccountRequest.newBuilder().id(created.getId()).accountUpdate(clearing).build();
    Account updated = accounts.updateAccount(update).getData();

    List<String> names = new ArrayList<>();
    int pages = 0;
    for (String cursor = null; pages == 0 || cursor != null; pages++) {
      AccountPage page = accounts.listAccounts(AccountsApi.APIListAccountsRequest.newBuilder().limit(2).cursor(cursor).build());
      for (Account each : page.getData()) names.add(each.getName());
      cursor = page.getNextCursor();
    }

    List<FieldError> errors = List.of();
    try {
      AccountCreate wrong = new AccountCreate().name("Segment").customFields(Map.of("segment", "?"));
      accounts.createAccount(AccountsApi.APICreateAccountRequest.newBuilder().accountCreate(wrong).build());
    } catch (ApiException problem) {
      errors = client.getObjectMapper().readValue(problem.getResponseBody(), crm.model.Error.class).getError().getDetails().getErrors();
      for (FieldError each : errors) System.out.println(each.getPath() + " " + each.getMessage());
    }
    // docs:end

    boolean isCleared = updated.getDocument() == null && Map.of("segment", "SMB").equals(updated.getCustomFields());
    boolean isComplete = pages >= 3 && Collections.frequency(names, body.getName()) == 1;
    boolean isExplained = errors.size() == 1 && errors.get(0).getPath().equals("/customFields/segment");
    if (attempts != 2 || !isCleared || !isComplete || !isExplained)
      throw new AssertionError(attempts + " " + updated + " " + pages + " " + errors);
  }
}
