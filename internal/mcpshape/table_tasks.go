package mcpshape

// Tasks of 2025-11-25, part of the core there.
var (
	taskMetadata = shape{name: "TaskMetadata", types: tObject, members: []member{
		{"ttl", all, 0, &integer},
	}}
	taskStatus = shape{name: "TaskStatus", types: tString,
		enum: []string{"working", "input_required", "completed", "failed", "cancelled"}}
	taskMembers = []member{
		{"taskId", all, all, &text},
		{"status", all, all, &taskStatus},
		{"statusMessage", all, 0, &text},
		{"createdAt", all, all, &dateTime},
		{"lastUpdatedAt", all, all, &dateTime},
		{"ttl", all, all, &shape{types: tInteger | tNull}}, // null is written out: kept for ever
		{"pollInterval", all, 0, &integer},
	}
	task             = shape{name: "Task", types: tObject, members: taskMembers}
	taskResult       = shape{name: "Task", types: tObject, base: resultBase, members: taskMembers}
	taskStatusParams = shape{name: "TaskStatusNotificationParams", types: tObject, base: notificationBase, members: taskMembers}
	createTaskResult = shape{name: "CreateTaskResult", types: tObject, base: resultBase, members: []member{
		{"task", all, all, &task},
	}}
	listTasksResult = shape{name: "ListTasksResult", types: tObject, base: resultBase, members: []member{
		{"tasks", all, all, &shape{types: tArray, items: &task}},
		{"nextCursor", all, 0, &text},
	}}
	taskIDParams = shape{name: "TaskRequestParams", types: tObject, base: requestBase, members: []member{
		{"taskId", all, all, &text},
	}}
)

// The tasks extension of the modern era: flat handles, milliseconds in the names, and what a task asks for
// or ends with inside the task, by its status.
var (
	extTaskMembers = []member{
		{"taskId", all, all, &text},
		{"status", all, all, &taskStatus},
		{"statusMessage", all, 0, &text},
		{"createdAt", all, all, &dateTime},
		{"lastUpdatedAt", all, all, &dateTime},
		{"ttlMs", all, all, &shape{types: tInteger | tNull}},
		{"pollIntervalMs", all, 0, &integer},
	}
	extTask          = shape{name: "Task", types: tObject, members: extTaskMembers}
	extTaskAsking    = shape{name: "Task", types: tObject, base: extTaskMembers, members: []member{{"inputRequests", all, all, &inputRequests}}}
	extTaskCompleted = shape{name: "Task", types: tObject, base: extTaskMembers, members: []member{{"result", all, all, &openObject}}}
	extTaskFailed    = shape{name: "Task", types: tObject, base: extTaskMembers, members: []member{{"error", all, all, &openObject}}}
	extDetailedTask  = shape{name: "Task", types: tObject, union: &union{
		tag:    "status",
		absent: &extTask, unknown: &extTask,
		alternatives: []alternative{
			{"input_required", all, &extTaskAsking},
			{"completed", all, &extTaskCompleted},
			{"failed", all, &extTaskFailed},
		},
	}}
	extTaskHandle  = shape{name: "CreateTaskResult", types: tObject, base: resultBase, members: extTaskMembers}
	extTaskResult  = shape{name: "GetTaskResult", types: tObject, base: resultBase, also: &extDetailedTask}
	extTaskParams  = shape{name: "TaskStatusNotificationParams", types: tObject, base: notificationBase, also: &extDetailedTask}
	extUpdateParam = shape{name: "UpdateTaskRequestParams", types: tObject, base: requestBase, members: []member{
		{"taskId", all, all, &text},
		{"inputResponses", all, all, &inputResponses},
	}}
)
