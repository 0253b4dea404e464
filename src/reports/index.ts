/*
 * What agents report about themselves besides their screens: hook calls, event channels and
 * transcripts. Adapters (src/agents/) translate them; this room receives them, finds the session or
 * pane they belong to, removes duplicates, and provides the channels for answering requests.
 *
 *   hook call ── HookInbox ─────────┐   whose it is (by token), rate limit, held requests
 *   event     ── AgentEvents ───────┼─► SessionReports ──► the session's receivers, each once
 *   transcript ─ TranscriptTail ────┘
 *
 * - agent-channels.ts: everything above for all sessions of a host; opens and closes it.
 * - hook-wiring.ts: a session's private directory and hook token, and who may be held.
 *   hook-inbox.ts, hook-events.ts: receiving hook calls. held-requests.ts: hooks that
 *   wait.
 * - session-reports.ts: the reports of one session; recent-keys.ts detects duplicates.
 * - transcript-tail.ts: follows a growing transcript; statement-activities.ts converts statements
 *   to activities, for runs in a terminal.
 *
 * A new hook event of an agent: translate it in src/agents/<agent>-hooks.ts and, if agents name it
 * differently, add an alias to hook-events.ts.
 */

export { AgentChannels } from './agent-channels.js'
export type { ForeignCall, HookInbox, ReportReceiver } from './hook-inbox.js'
export type { ReportSettings } from './hook-wiring.js'
export { wireHooks } from './hook-wiring.js'
export type { SessionUsage } from './session-reports.js'
export { StatementActivities } from './statement-activities.js'
export { TranscriptTail } from './transcript-tail.js'
