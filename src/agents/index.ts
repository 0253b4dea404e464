/*
 * The coding agents: how each one is found, started, asked and read. An `AgentAdapter` (adapter.ts)
 * describes one agent; registry.ts lists them by name; generic.ts runs any other program. Nothing
 * outside this room and packs/ knows an agent by name.
 *
 * What an adapter provides
 *
 *   <agent>.ts                    find the program, its command line, whether it is signed in
 *   <agent>-hooks.ts              configure its hooks for one session, translate hook calls
 *   <agent>-transcript.ts         find and parse the agent's own record of a conversation
 *   <agent>-events.ts             its event channel, if it has one (OpenCode's server)
 *   headless/<agent>.ts           run one prompt without a terminal, parse its output
 *
 * Hooks, transcripts and event channels are translated to one vocabulary, `AgentStatement`
 * (report.ts); headless output becomes activities (src/activity/). Receivers decide what counts.
 *
 * Shared parts
 *
 * - locate-program.ts: finds programs, never inside the project. own-session.ts: the arguments that
 *   select a conversation. exit-id.ts: the conversation id on the last screen.
 * - json-lines.ts, conversation.ts, transcript-files.ts: reading files that grow.
 * - hook-command.ts, hook-payload.ts: the relay command and common hook fields.
 * - headless/run-step.ts: runs an agent through one prompt and decides how it ended;
 *   headless/examine.ts: what a step left behind after a crash.
 * - pack-files.ts, live-packs.ts, pack-fixtures.ts: the packs that describe screens, by version,
 *   with the person's own files on top. packs/ is a second entry point for the commands on packs.
 *
 * Where to add what
 *
 * - An agent: <agent>.ts and a line in registry.ts, then whatever it offers of the list above.
 *   docs/adding-an-agent.md goes through it.
 * - A new version of an agent: a pack file with its version range and fixtures; a recording of the
 *   transcript in fixtures/ next to the parser's test.
 */

export type {
  AgentAdapter,
  AgentEnvironment,
  AgentEvents,
  AgentHooks,
  AgentTranscript,
  EventsAnswer,
  FoundAgent,
  HookAnswer,
  HookWiring,
  SignIn,
  TranscriptLookup,
  TranscriptReader,
  UserHooks,
} from './adapter.js'
export { controlsOf, modelOf, modeOf } from './agent-controls.js'
export { createDemoDirectory, createSampleProject, demoDirectories } from './demo-project.js'
export { genericAgent } from './generic.js'
export type {
  HeadlessAgent,
  HeadlessEnd,
  PermissionAnswer,
  PermissionLevel,
  TurnTuning,
} from './headless/headless.js'
export { PERMISSION_LEVELS } from './headless/headless.js'
export { kindOfTool } from './headless/records.js'
export { runStep } from './headless/run-step.js'
export { StepProgress } from './headless/step-progress.js'
export { readToolHookLog } from './headless/tool-hooks.js'
export { pathVariablesOf } from './home-directory.js'
export { type LivePack, LivePacks } from './live-packs.js'
export { loadPack } from './pack-files.js'
export { adapterForProgram, agentNames, loadAgent } from './registry.js'
export type { AgentReport, AgentStatement, ToolStatement, UsageStatement } from './report.js'
export { type StoredConversation, storedConversations } from './stored-conversations.js'
export { applyHooks, changeLines, type HookChange, planHooks } from './user-hooks.js'
