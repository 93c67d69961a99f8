package demo

// What the server offers, as it goes over the wire.

const serverInfo = `{"name":"harbour","title":"Harbour office","version":"1.4.0"}`

// serverCapabilities says nothing of prompts.listChanged: sending that notification all the same is
// one of the server's two mistakes.
const serverCapabilities = `{"completions":{},"logging":{},"prompts":{},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`

const instructions = `Ask for berths before docking a ship. Towing and waiting for the tide take time.`

const clientInfo = `{"name":"harbour-visitor","version":"1.0.0"}`

const clientCapabilities = `{"elicitation":{"form":{}},"roots":{"listChanged":true},"sampling":{}}`

// tools are listed in this order; the last one only while the lock is open.
var tools = []string{
	`{"name":"berths","title":"Free berths","description":"Lists the free berths of a pier.","inputSchema":{"type":"object","properties":{"pier":{"type":"string"}},"required":["pier"]},"outputSchema":{"type":"object","properties":{"pier":{"type":"string"},"free":{"type":"array","items":{"type":"integer"}},"taken":{"type":"integer"}},"required":["pier","free","taken"]},"annotations":{"readOnlyHint":true}}`,
	`{"name":"dock","description":"Docks a ship that is expected.","inputSchema":{"type":"object","properties":{"ship":{"type":"string"},"berth":{"type":"integer"}},"required":["ship","berth"]}}`,
	`{"name":"tow","description":"Tows a ship in once a pilot is aboard. Reports progress.","inputSchema":{"type":"object","properties":{"ship":{"type":"string"}},"required":["ship"]}}`,
	`{"name":"send_pilot","description":"Sends a pilot to the ship that waits for one.","inputSchema":{"type":"object"}}`,
	`{"name":"await_tide","description":"Waits for the next high water. May take hours.","inputSchema":{"type":"object"}}`,
	`{"name":"forecast","description":"Has the client's model put the tide table into words.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
	`{"name":"permit","description":"Asks the user for what a landing permit needs.","inputSchema":{"type":"object","properties":{"ship":{"type":"string"}},"required":["ship"]}}`,
	`{"name":"charts","description":"Looks for sea charts in the client's folders.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
	`{"name":"open_lock","description":"Opens the lock. Brings the tool close_lock.","inputSchema":{"type":"object"}}`,
	closeLock,
}

const closeLock = `{"name":"close_lock","description":"Closes the lock.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`

// resourcePages are the pages of resources/list; the cursor is the number of the page.
var resourcePages = []string{
	`"resources":[{"uri":"harbour://tide","name":"tide","title":"Height of the tide","mimeType":"application/json"},{"uri":"harbour://notices","name":"notices","title":"Notices to mariners","mimeType":"text/markdown"}],"nextCursor":"page-2"`,
	`"resources":[{"uri":"harbour://flags/blue-peter.png","name":"blue-peter","title":"The flag of a ship about to sail","mimeType":"image/png","size":69}]`,
}

const resourceTemplates = `{"resourceTemplates":[{"uriTemplate":"harbour://ship/{name}","name":"ship","title":"A ship in the register","mimeType":"application/json"}]}`

const tideURI = "harbour://tide"

// bluePeter is a PNG of one blue pixel.
const bluePeter = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC"

const prompts = `{"prompts":[{"name":"log_entry","title":"Entry for the harbour log","description":"Words for the arrival of a ship.","arguments":[{"name":"ship","description":"a ship in the register","required":true}]}]}`

// ships are the register, and what completion knows.
var ships = []string{"Albatross", "Aurora", "Avocet", "Kittiwake", "Petrel"}
