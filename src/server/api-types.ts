import type { z } from 'zod'
import type * as agents from './schemas/agents.js'
import type * as approvals from './schemas/approvals.js'
import type * as auth from './schemas/auth.js'
import type { block } from './schemas/blocks.js'
import type * as common from './schemas/common.js'
import type * as engine from './schemas/engine.js'
import type { loggedEvent, streamEvent } from './schemas/events.js'
import type * as explain from './schemas/explain.js'
import type * as gates from './schemas/gates.js'
import type * as grants from './schemas/grants.js'
import type * as graphs from './schemas/graphs.js'
import type { overview } from './schemas/overview.js'
import type * as panes from './schemas/panes.js'
import type * as projects from './schemas/projects.js'
import type * as pulls from './schemas/pulls.js'
import type * as push from './schemas/push.js'
import type * as recordings from './schemas/recordings.js'
import type * as runs from './schemas/runs.js'
import type * as schedules from './schemas/schedules.js'
import type * as search from './schemas/search.js'
import type * as sessions from './schemas/sessions.js'
import type * as shares from './schemas/shares.js'
import type * as stream from './schemas/stream.js'
import type * as system from './schemas/system.js'
import type * as usage from './schemas/usage.js'
import type * as workers from './schemas/workers.js'

/*
 * What the API answers, as types: the schemas of the operations and nothing else. The dashboard
 * imports only types from here, so neither a schema nor zod gets into its bundle; besides this file
 * it imports the pure files of `pageFiles` in scripts/house.json. What this file imports must
 * compile without Node's types: `schemas/` may use zod, `events/` and `errors/`.
 *
 * Moments are RFC 3339. A caller that asks for milliseconds gets `InMilliseconds<…>`.
 */

export type { ViewerMessage, ViewerUpdate } from './terminal/messages.js'
export type { InMilliseconds } from './wire/time-fields.js'

export type ApiError = z.output<typeof common.apiError>
export type Page<T> = z.output<ReturnType<typeof common.page<z.ZodType<T>>>>

export type Me = z.output<typeof auth.me>
export type Login = z.output<typeof auth.login>
export type LoginLink = z.output<typeof auth.loginLink>
export type TokenFile = z.output<typeof auth.tokenFile>
export type Device = z.output<typeof auth.device>
export type DeviceList = z.output<typeof auth.deviceList>

export type Share = z.output<typeof shares.share>
export type ShareList = z.output<typeof shares.shareList>
export type NewShare = z.output<typeof shares.newShare>
export type SharedSession = z.output<typeof shares.sharedSession>

export type Engine = z.output<typeof engine.engine>
export type Worker = z.output<typeof workers.worker>
export type WorkerInvite = z.output<typeof workers.workerInvite>

export type Session = z.output<typeof sessions.session>
export type StoppedSession = z.output<typeof sessions.stopped>
export type Interrupted = z.output<typeof sessions.interrupted>
export type Waited = z.output<typeof sessions.waited>
export type Screen = z.output<typeof sessions.screen>
export type GitState = z.output<typeof sessions.gitState>
export type SessionDiff = z.output<typeof sessions.sessionDiff>
export type Committed = z.output<typeof sessions.committed>
export type Discarded = z.output<typeof sessions.discarded>
export type FileTree = z.output<typeof sessions.fileTree>
export type Message = z.output<typeof sessions.message>
export type Prompt = z.output<typeof sessions.prompt>
export type Conversation = z.output<typeof sessions.conversation>
export type Sent = z.output<typeof sessions.sent>
export type HeldPrompt = z.output<typeof sessions.heldPrompt>
export type HeldPrompts = z.output<typeof sessions.heldPrompts>
export type Uploaded = z.output<typeof sessions.uploaded>
export type AgentStats = z.output<typeof sessions.agentStats>
export type SubAgent = AgentStats['subAgents'][number]

export type Block = z.output<typeof block>
export type InlineRun = Extract<Block, { kind: 'prose' }>['runs'][number]

export type Approval = z.output<typeof approvals.approval>
export type ApprovalOption = Approval['request']['options'][number]
export type DisplayBlock = Approval['display']['blocks'][number]
export type BatchResults = z.output<typeof approvals.batchResults>
export type ApprovalHistory = z.output<typeof approvals.approvalHistory>
export type ApprovalReport = z.output<typeof approvals.approvalReport>
export type PlanGate = z.output<typeof gates.planGate>
export type ItemsGate = z.output<typeof gates.itemsGate>

export type Grant = z.output<typeof grants.grant>
export type GrantList = z.output<typeof grants.grantList>
export type StandingPreview = z.output<typeof grants.standingPreview>
export type Schedule = z.output<typeof schedules.schedule>
export type ScheduleList = z.output<typeof schedules.scheduleList>
export type GrantSwitch = z.output<typeof grants.grantSwitch>

export type Pane = z.output<typeof panes.pane>
export type PaneList = z.output<typeof panes.paneList>
export type PaneConversation = z.output<typeof panes.paneConversation>
export type PaneStats = z.output<typeof panes.paneStats>
export type PaneSwitches = z.output<typeof panes.paneSwitches>
export type PanePreview = z.output<typeof panes.panePreview>
export type TmuxJoined = z.output<typeof panes.tmuxJoined>
/** A frame in the format `spans`, or one of the others. */
export type Frame = z.output<typeof panes.frame>
/** A frame in the format `text`. */
export type TextFrame = Frame & { lines: string[] }
export type Explanation = z.output<typeof explain.explanation>
export type ScreenExplanation = z.output<typeof explain.screenExplanation>

export type SearchResult = z.output<typeof search.searchResult>
export type SearchResults = z.output<typeof search.searchResults>

export type Run = z.output<typeof runs.run>
export type RunStep = z.output<typeof runs.runStep>
export type NodeVisit = z.output<typeof runs.nodeVisit>
export type RunNode = z.output<typeof runs.runNode>
export type RunNodes = z.output<typeof runs.runNodes>
export type Timeline = z.output<typeof runs.timeline>
export type LogLine = z.output<typeof runs.logLine>
export type RunLog = z.output<typeof runs.runLog>
export type RunContext = z.output<typeof runs.runContext>
export type RunGates = z.output<typeof runs.runGates>
export type RunDiff = z.output<typeof runs.runDiff>
export type RunPull = z.output<typeof pulls.runPull>
export type UsageReport = z.output<typeof usage.usageReport>

export type Diagnostic = z.output<typeof graphs.diagnostic>
export type GraphCheck = z.output<typeof graphs.graphCheck>
export type GraphList = z.output<typeof graphs.graphList>
export type PipelineList = z.output<typeof graphs.pipelineList>

export type Recording = z.output<typeof recordings.recording>
export type RecordingIndex = z.output<typeof recordings.recordingIndex>

export type Project = z.output<typeof projects.project>
export type ProjectList = z.output<typeof projects.projectList>
export type DirectoryList = z.output<typeof projects.directoryList>
export type PeopleList = z.output<typeof projects.peopleList>

export type Overview = z.output<typeof overview>
export type Health = z.output<typeof system.health>
export type DaemonInfo = z.output<typeof system.daemon>
export type Finding = z.output<typeof system.finding>
export type Findings = z.output<typeof system.findings>
export type Setting = z.output<typeof system.setting>
export type Settings = z.output<typeof system.settings>
export type TelegramBot = z.output<typeof system.telegramBot>
export type Pairing = z.output<typeof system.pairing>
export type Paired = z.output<typeof system.paired>
export type Lockdown = z.output<typeof system.lockdown>

export type LoggedEvent = z.output<typeof loggedEvent>
export type StreamEvent = z.output<typeof streamEvent>
export type Hello = z.output<typeof stream.hello>
export type PaneChange = z.output<typeof stream.paneChange>
export type SessionRecordUpdate = z.output<typeof stream.sessionRecord>
export type RunRecordUpdate = z.output<typeof stream.runRecord>
export type MessageUpdate = z.output<typeof stream.messageUpdate>
/** An ephemeral update of `GET /events`: it is not in the log. */
export type EphemeralUpdate = EventOf<typeof stream.EPHEMERAL_UPDATES>
/** An event of `GET /panes/stream`. */
export type PaneStreamEvent = EventOf<typeof stream.PANE_STREAM_EVENTS>
export type TypingUpdate = z.output<typeof stream.typing>
export type AgentStatsUpdate = z.output<typeof stream.agentStatsUpdate>

type EventOf<F extends Record<string, z.ZodType>> = { [E in keyof F]: { event: E; data: z.output<F[E]> } }[keyof F]
export type PushState = z.output<typeof push.pushState>
export type PushSubscriptionInfo = z.output<typeof push.pushSubscription>
export type PushTested = z.output<typeof push.pushTested>
export type AgentList = z.output<typeof agents.agentList>
export type ConversationList = z.output<typeof agents.conversationList>
