package annotate

import (
	"fmt"
	"strings"
	"testing"
)

// defined makes a tool definition of a line: name | description | arguments | hints. An argument may have a type
// (n:number) or a list of values (a=x,y). A hint is R, D, I or O for true and r, d, i or o for false.
func defined(line string) *tool {
	parts := strings.Split(line, "|")
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	var w jsonWriter
	w.open()
	w.text("name", strings.TrimSpace(parts[0]))
	w.textIf("description", strings.TrimSpace(parts[1]))
	w.key("inputSchema")
	w.open()
	w.text("type", "object")
	w.key("properties")
	w.open()
	for _, arg := range strings.Fields(parts[2]) {
		name, values, _ := strings.Cut(arg, "=")
		name, typ, typed := strings.Cut(name, ":")
		if !typed {
			typ = "string"
		}
		w.key(name)
		w.open()
		w.text("type", typ)
		if values != "" {
			w.texts("enum", strings.Split(values, ","))
		}
		w.close()
	}
	w.close()
	w.close()
	if hints := strings.TrimSpace(parts[3]); hints != "" {
		w.key("annotations")
		w.open()
		for _, h := range hints {
			name := map[string]string{"r": "readOnlyHint", "d": "destructiveHint", "i": "idempotentHint", "o": "openWorldHint"}[strings.ToLower(string(h))]
			w.key(name)
			w.bool(h < 'a')
		}
		w.close()
	}
	w.close()
	return readTool(w.buf)
}

func TestRisk(t *testing.T) {
	for _, c := range []struct {
		class RiskClass
		tool  string
	}{
		// Reading and computing.
		{RiskLow, "read_file | Read the contents of a file. | path | R"},
		{RiskLow, "list_issues | List issues. | repo"},
		{RiskLow, "searchCode | Searches code | query"},
		{RiskLow, "get_weather | Get the weather for a city | city"},
		{RiskLow, "weather.get | The weather | city"},
		{RiskLow, "add | Adds two numbers | a:number b:number"},
		{RiskLow, "echo | Echoes back the input | message"},
		{RiskLow, "convert_time | Convert between time zones | time"},
		{RiskLow, "get_update_status | Get the status of an update | id"},
		{RiskLow, "list_deleted_items | List what was deleted | limit:number"},
		{RiskLow, "get_payment | Get a payment by its id | id"},
		{RiskLow, "get_shell_history | List recent commands | limit:number"},
		{RiskLow, "count_tokens | Count the tokens of a text | text"},
		{RiskLow, "read_process_output | Read the output of a process | pid:number"},
		{RiskLow, "frobnicate | | | R"},
		{RiskLow, "start_search | Start a streaming search | pattern | R"},
		{RiskLow, "lookup_key_figures | Look up key figures | year:number"},

		{RiskLow, "list_invoices | Fetch a list of invoices | customer"},
		{RiskLow, "web_search | Search the web | query"},
		{RiskLow, "list_firewall_rules | List firewall rules |"},
		{RiskLow, "terraform_plan | Show the plan | dir"},

		// Changing, or nobody knows.
		{RiskMedium, "read_query | Execute a SELECT query on the SQLite database | query"},
		{RiskMedium, "run_query | Run a query and return rows | query"},
		{RiskMedium, "validate_token | Validate a token | token"},
		{RiskMedium, "generate_password | Generate a random password | length:number"},
		{RiskMedium, "create_pull_request | Create a pull request | title"},
		{RiskMedium, "run_tests | Run the test suite | path"},
		{RiskMedium, "create_issue | Create an issue | title"},
		{RiskMedium, "update_page | Update a page | id body | rDiO"},
		{RiskMedium, "rename_symbol | Rename a symbol | name"},
		{RiskMedium, "frobnicate | |"},
		{RiskMedium, "frobnicate | Frobnicates the thing. Never deletes anything. | thing"},
		{RiskMedium, "API-patch-page | Notion: Update page properties | id"},
		{RiskLow, "API-post-search | Notion | query"}, // search is in its name
		{RiskMedium, "browser_click | Click an element on the page | ref"},
		{RiskMedium, "fetch | Fetch a web page | url"},
		{RiskMedium, "query | Run a read-only SQL query | sql"},
		{RiskMedium, "tabs | List, create or close browser tabs | action"},
		{RiskMedium, "login | Log in | user password"},
		{RiskMedium, "get_or_write | Write what is missing | path"},

		// Destroying, sending, deploying.
		{RiskHigh, "delete_file | Delete a file | path | rD"},
		{RiskHigh, "remove_label | Remove a label | name"},
		{RiskHigh, "deleteManyDocuments | Delete documents | filter"},
		{RiskHigh, "send_email | Send an email | to body"},
		{RiskHigh, "mail.send | | to body"},
		{RiskHigh, "slack_post_message | Post a new message to a channel | channel text"},
		{RiskHigh, "deploy | Deploy the app | env"},
		{RiskHigh, "kubectl_apply | Apply a manifest | manifest"},
		{RiskHigh, "merge_pull_request | Merge a pull request | number:number"},
		{RiskHigh, "git_push | Push commits | remote"},
		{RiskHigh, "kill_process | Kill a process | pid:number"},
		{RiskHigh, "get-env | Returns all environment variables | | R"},
		{RiskHigh, "printEnv | Prints all environment variables |"},
		{RiskHigh, "list_secrets | List the names of secrets | vault"},
		{RiskHigh, "get_cookies | Get the cookies of a site | domain"},
		{RiskHigh, "write_file | Create a new file or overwrite an existing one without warning | path content | rD"},
		{RiskHigh, "manage | Manage items | action=list,create,delete"},
		{RiskHigh, "storage | Commands to create and delete accounts | command parameters"},
		{RiskHigh, "share_document | Share a document | id with"},
		{RiskHigh, "assign_role | Assign a role to a user | role user"},
		{RiskHigh, "create_user | Create a user | name"},
		{RiskHigh, "unprotect_branch | Unprotect a branch | name"},
		{RiskHigh, "http_request | Send an HTTP request | method url body"},
		{RiskHigh, "reboot_host | Reboot a host | host"},
		{RiskHigh, "update_record | Update a record. This cannot be undone. | id"},

		{RiskHigh, "apply_migration | Applies a migration to the database | name query"},
		{RiskHigh, "install_package | Install a package | name"},
		{RiskHigh, "update_firewall_rule | Update a firewall rule | id"},
		{RiskHigh, "list_api_keys | List API keys |"},
		{RiskHigh, "invite_user | Invite a user | email"},

		// Code, money, credentials, rights, whole stores.
		{RiskCritical, "write_query | Execute an INSERT, UPDATE, or DELETE query on the SQLite database | query"},
		{RiskCritical, "execute_cell | Execute a notebook cell | cell_id"},
		{RiskCritical, "call_aws | Execute AWS CLI commands with validation and proper error handling | cli_command"},
		{RiskCritical, "applescript_execute | Run AppleScript code | code_snippet"},
		{RiskCritical, "write_to_terminal | Writes text to the active terminal, often used to run a command | command"},
		{RiskCritical, "sign_transaction | Sign a transaction | tx"},
		{RiskCritical, "create_refund | Refund a payment | payment"},
		{RiskCritical, "rotate_keys | Rotate keys |"},
		{RiskCritical, "create_ssh_key | Add an SSH key to the account | key"},
		{RiskCritical, "reset_password | Reset a user's password | user"},
		{RiskCritical, "delete_logs | Delete audit logs | before"},
		{RiskCritical, "execute_command | Execute a shell command | command"},
		{RiskCritical, "run-code | Run code snippet and return the result. | code language"},
		{RiskCritical, "shell | | input"},
		{RiskCritical, "bash_tool | Run bash | command"},
		{RiskCritical, "python | Evaluates Python code | code"},
		{RiskCritical, "browser_evaluate | Evaluate JavaScript expression on page | function"},
		{RiskCritical, "pods_exec | Execute a command in a pod | command:array"},
		{RiskCritical, "run_terminal_cmd | Run it | command"},
		{RiskCritical, "execute_sql | Execute SQL on the database | sql"},
		{RiskCritical, "sql_query | Run a query | query"},
		{RiskCritical, "get_secret | Get the value of a secret | name | R"},
		{RiskCritical, "create_api_key | Create an API key | name"},
		{RiskCritical, "set_password | Set a user's password | user password"},
		{RiskCritical, "create_payment | Create a payment | amount:number"},
		{RiskCritical, "pay_invoice | Pay an invoice | id"},
		{RiskCritical, "transfer_funds | Transfer funds between accounts | from to amount:number"},
		{RiskCritical, "place_order | Place an order | item"},
		{RiskCritical, "grant_access | Grant access | user"},
		{RiskCritical, "drop_database | Drop a database | name | rD"},
		{RiskCritical, "delete_repository | Delete a repository | name"},
		{RiskCritical, "delete_all_users | Delete all users |"},
		{RiskCritical, "deploy_production | Deploy | ref"},

		// What nobody should let run unattended.
		{RiskForbidden, "execute_command | Execute a shell command as root | command"},
		{RiskForbidden, "run_command | Run a command | command sudo:boolean"},
		{RiskForbidden, "sudo_exec | Execute | command"},
		{RiskForbidden, "disable_firewall | Disable the firewall |"},
		{RiskForbidden, "security_off | Disables the antivirus of the host |"},
		{RiskForbidden, "upload_credentials | Upload credentials | url"},
		{RiskForbidden, "send_passwords | Send passwords | to"},
		{RiskForbidden, "exfiltrate_secrets | |"},
		{RiskForbidden, "disable_mfa | Disables multi-factor authentication for a user | user"},
		{RiskForbidden, "format_disk | Format a disk | device"},

		// Denied is not said.
		{RiskCritical, "execute_command | Execute a shell command. Does not run as root, never with sudo. | command"},
		{RiskMedium, "harden | Never disables the firewall. |"},
		{RiskLow, "list_roots | List the root directories |"},
	} {
		got := riskOf(traitsOf(defined(c.tool)))
		if got.Class != c.class {
			t.Errorf("%s: got %s (%s), want %s", c.tool, got.Class, strings.Join(got.Reasons, "; "), c.class)
		}
		if len(got.Reasons) == 0 {
			t.Errorf("%s: no reason", c.tool)
		}
	}
}

// A hint that the name contradicts makes the class worse by one, up to critical.
func TestRiskContradicted(t *testing.T) {
	for _, c := range []struct {
		class        RiskClass
		contradicted bool
		tool         string
	}{
		{RiskHigh, true, "write_file | Write a file | path | R"},
		{RiskCritical, true, "delete_file | Delete a file | path | R"},
		{RiskCritical, true, "delete_file | Delete a file | path | rd"},
		{RiskCritical, true, "drop_database | Drop it | name | R"},
		{RiskCritical, true, "run_code | Run code | code | R"},
		{RiskForbidden, true, "disable_firewall | Disable the firewall | | R"},
		{RiskLow, false, "add | Adds two numbers | a:number b:number | R"},
		{RiskLow, false, "connect | Connect | name | R"},
		{RiskHigh, false, "delete_file | Delete a file | path | rD"},
		{RiskMedium, false, "save_it | Save | x | rd"},
	} {
		got := riskOf(traitsOf(defined(c.tool)))
		if got.Class != c.class || got.Contradicted != c.contradicted {
			t.Errorf("%s: got %s, %t (%s), want %s, %t", c.tool, got.Class, got.Contradicted, strings.Join(got.Reasons, "; "), c.class, c.contradicted)
		}
		if got.Contradicted && !strings.Contains(strings.Join(got.Reasons, ";"), "Hint is") {
			t.Errorf("%s: the contradiction is not said: %q", c.tool, got.Reasons)
		}
	}
}

func TestIdempotency(t *testing.T) {
	for _, c := range []struct {
		want Answer
		tool string
	}{
		{Yes, "get_x | Get x | id"},
		{Yes, "frob | | | R"},
		{Yes, "set_status | Set the status | status"},
		{Yes, "delete_file | Delete a file | path"},
		{Yes, "write_file | Write a file | path content | rDI"},
		{Yes, "create_directory | Create a directory or ensure that it exists | path | rdI"},
		{Yes, "create_payment | Create a payment | amount:number idempotencyKey"},
		{Yes, "upsert_record | Upsert a record | id"},
		{Yes, "update_x | Update x | id | I"},
		{No, "create_issue | Create an issue | title"},
		{No, "send_email | Send an email | to"},
		{No, "slack_post_message | Post a new message | text"},
		{No, "append_note | Append to a note | text"},
		{No, "run_code | Run code | code"},
		{No, "edit_file | Edit a file | path | rDio"},
		{Unknown, "run_code | Run code | code | I"},
		{Unknown, "create_issue | Create an issue | title | I"},
		{Unknown, "update_x | Update x | id"},
		{Unknown, "frobnicate | | x"},
		{Unknown, "frobnicate | | x | rDiO"}, // what leaving them out means as well
		{Unknown, "manage | Manage items | action=list,create,delete"},
	} {
		got := idempotencyOf(traitsOf(defined(c.tool)), false)
		if got.Answer != c.want || got.Reason == "" {
			t.Errorf("%s: got %s (%s), want %s", c.tool, got.Answer, got.Reason, c.want)
		}
	}
	if got := idempotencyOf(traitsOf(defined("set_x | Set x | x | I")), true); got.Answer != No {
		t.Errorf("a tool that was seen to differ: got %+v", got)
	}
}

// Hostile definitions cost bounded work and never a panic.
func TestTraitsOfHostileTools(t *testing.T) {
	long := strings.Repeat("a ", 1<<20)
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "p%d ", i)
	}
	for _, def := range []*tool{
		readTool([]byte(`{"name":"","description":null,"inputSchema":[],"annotations":7,"_meta":"x"}`)),
		readTool([]byte(`{"name":"` + strings.Repeat("delete_", 20000) + `","description":"` + long + `"}`)),
		readTool([]byte("{\"name\":\"\\u202e\x1b[2J\",\"description\":\"\xff\xfe\"}")),
		defined("x | " + strings.Repeat("run as root sudo disable the firewall ", 5000) + " | " + many.String()),
	} {
		tr := traitsOf(def)
		risk := riskOf(tr)
		idempotencyOf(tr, false)
		contractOf(tr, risk, &ToolAccount{}, nil)
	}
}
