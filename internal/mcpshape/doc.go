// Package mcpshape knows what params and results of MCP look like, in every published revision.
//
// [Check] holds the params of a request or notification, or a result, against what one revision
// demands of its method; [CheckType] does so for a named type such as Tool or ContentBlock. What does
// not fit is reported as a [Problem], with a JSON pointer into the checked value.
//
// The knowledge is a set of tables (files table_*.go): one shape per type, whose members say in which
// revisions they exist and in which they are required. The tables are written from the specification
// and held against its official schemas by an end-to-end test.
//
// Three principles, so that no finding is a false alarm:
//
//   - Objects are open. A member that the revision does not define is never a problem, and neither is
//     anything below it. So a member defined later than the revision in force is not looked at.
//   - A union is decided by what the sender evidently meant (type, method, mode, or the presence of a
//     telling member), and problems are those of that alternative only. Official schemas are laxer in
//     places: open alternatives swallow each other's mistakes. Ours is the stricter reading there.
//   - What is no valid JSON, or nested in a way no shape describes, is somebody else's finding. Check
//     then says nothing about the rest.
//
// Members that other specification text binds to a syntax are checked too, under the keyword
// "format": uri, uri-template, byte (standard base64) and date-time (ISO 8601). Official schemas treat
// formats as a comment, so callers decide how much such a problem weighs.
//
// The package does not allocate while the value is as it should be, and never recurses into parts of
// a value that no shape describes.
package mcpshape
