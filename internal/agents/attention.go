package agents

// Code says why an agent, an Issue or a host wants a person's attention.
type Code string

// The codes.
const (
	CodeNeedsApproval        Code = "needs_approval"
	CodeNeedsAnswer          Code = "needs_answer"
	CodeClosureWaiting       Code = "closure_waiting"
	CodeLostWithIssue        Code = "lost_with_issue"
	CodeEditsWithoutIssue    Code = "edits_without_issue"
	CodeReviewOpen           Code = "review_open"
	CodeGuaranteeUnavailable Code = "guarantee_unavailable"
	CodeCorrelationDegraded  Code = "correlation_degraded"
	CodeHooksSilent          Code = "hooks_silent"
	CodeContestedPath        Code = "contested_path"
	CodeStaleIssue           Code = "stale_issue"
	CodeOrphan               Code = "orphan"
	CodeViewDegraded         Code = "view_degraded"
)
