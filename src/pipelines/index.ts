/*
 * The pipelines that ship: implementation (issue → plan → tasks → commits), review (changes →
 * items → fixes) and pull_request (checks and comments → fixes). A pipeline is a graph whose nodes
 * are functions (`type=code`, `fn=…`) over one typed state, so everything that the engine does for
 * graph runs holds here too: the journal, leases, recovery of agent steps, gates in the ledger,
 * forks.
 *
 * How a node runs (pipeline-steps.ts)
 *
 *   arguments + context of the run → state, parsed and frozen             stored-state.ts, state.ts
 *     → the node's function: looks for its earlier results first          nodes/*.ts
 *     → update + route + events, or a question to a person                node.ts (`NodeResult`)
 *     → the update is merged and parsed as a whole; only changed fields are written
 *
 * Parts
 *
 * - base.ts, registry.ts: what a pipeline is, and which ones exist. implementation/ and review/
 *   hold their graphs, built with build-graph.ts; routing.ts decides the next node (pure).
 * - args.ts: everything that a run gets when it is created (registry.ts), including a copy of its
 *   profile; it never changes.
 * - role-turn.ts: one agent turn in a role, under the policy of tool-policy.ts.
 *   extract-structured.ts gets a typed answer (review-object.ts) out of an agent.
 * - prompts/: the instructions of each role, which a person may replace, and the material in named
 *   sections.
 * - plan/: parsing and checking plans. gates.ts: the questions that people answer.
 * - pull-request/: what a run does outside this machine (acts.ts), and how it does it once.
 *   forges/: GitHub and GitLab through their programs.
 * - pipeline-git.ts: all git operations. trackers/: where issues come from (file,
 *   GitHub, GitLab, Jira, Linear).
 * - read-run.ts: a pipeline run as surfaces show it.
 *
 * Where to add what
 *
 * - A node: a file in nodes/ (for pull requests nodes/pull/), an entry in nodes/index.ts, an edge
 *   in the graph, a route in routing.ts. It may be repeated after a crash, so it must find its own
 *   results: a commit by its trailers, a review by its file, a worktree by its branch.
 * - A pipeline: a folder with pipeline.ts (arguments, state, graph), an entry in registry.ts.
 * - A field of the state: in state.ts with a default; stored runs contain the field names.
 * - A tracker: a file in trackers/ that implements `Tracker`, and a reading in choose-tracker.ts.
 */

export type { ReadProfile } from './ad-hoc-args.js'
export {
  finding,
  type GivenFinding,
  PIPELINE_ROLES,
  type PipelineArgs,
  type ProfileCopy,
  type PullRequestArgs,
  pipelineArgs,
  profileCopy,
  type ReviewTarget,
  type RoleAssignment,
  type RoleName,
} from './args.js'
export type { PipelineMetadata } from './base.js'
export { forgeFor, forgeOfRemote } from './forges/forge-for.js'
export type {
  ItemsGatePayload,
  PlanGatePayload,
} from './gates.js'
export { pipelineFunctions } from './nodes/index.js'
export { PipelineGit } from './pipeline-git.js'
export { PipelineSteps } from './pipeline-steps.js'
export { resolvePlanPath, slugOf } from './plan/plan-path.js'
export { validatePlan } from './plan/validate-plan.js'
export { brainstormPrompt, designPath } from './prompts/brainstorm-prompt.js'
export { findPrompt, promptHash, promptIds } from './prompts/find-prompt.js'
export { pullText } from './pull-request/pull-text.js'
export { isPipelineRun, type PipelineRun, readPipelineRun } from './read-run.js'
export { builtInPipelines, type PipelineRunOptions, pipelineRun } from './registry.js'
export { rangeTarget } from './review/range-target.js'
export { setQueuedPlan } from './set-plan.js'
export type {
  ImplementationState,
  Issue,
} from './state.js'
export { fetchIssue } from './trackers/choose-tracker.js'
export { issueOfText, readIssueFile } from './trackers/file.js'
export { fetchPullRequest } from './trackers/github.js'
export { trackerServices } from './trackers/tracker-services.js'
