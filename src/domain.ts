import type { ApprovalDecision, ApprovalRecord } from './approvals/index.js'
import type { RunRecord } from './engine/index.js'
import type { EventData, EventType, StoredEvent } from './events/index.js'
import type { SessionRecord } from './sessions/live/index.js'
import type { PaneInfo } from './supervision/index.js'

/*
 * The domain on one page. Read this first; every type leads to the room that owns it.
 *
 * A *session* is one agent (Claude Code, Codex, any program) that runs in a terminal which
 * Signalbox owns. The keeper process holds the terminal and records every byte; the host, usually
 * the daemon, reads the bytes, understands the screen and sends prompts.
 *
 * A *pane* is a terminal that Signalbox watches: that of a session, or a pane of tmux that was
 * started without Signalbox. A pane has a status for people: idle, running, long-running, waiting
 * for approval, done, failed. A session has more, because Signalbox also types into it.
 *
 * When an agent asks for permission or an answer, the question becomes a *request* in the ledger. A
 * request comes from the agent's screen, from its hook, or from both; the ledger keeps one record
 * of it. A person decides it once, from any surface. The *decision* names the request's
 * fingerprint, so that it never applies to something that was not shown. The owner of the request
 * then delivers the decision (types it into the menu, or answers the hook) and records that the
 * agent accepted it.
 *
 *   pending ── decide ──► decided ── deliver ──► applied        (or stale, expired, cancelled)
 *
 * A *run* is a durable execution of work by agents: a worker and an auditor (oneshot), a graph in
 * DOT, or a pipeline such as issue → plan → tasks → review. It consists of *steps*: one turn of an
 * agent, one command, one question to a person. A question of a run (a *gate*) is a request in the
 * same ledger. A step of an agent may use a session or run headless, without a terminal.
 *
 * A *worker* is another machine that carries out steps of runs and sessions for a server. The
 * server keeps their log and takes the decisions.
 *
 * All of these are recorded as *events* in one log. An event is immutable and belongs to a stream:
 * `session/<id>`, `approval/<id>`, `run/<id>`. What lists and pages show are projections: documents
 * folded from events in the transaction that appends them. After a crash, the next process reads
 * the log (and for sessions the recording) and continues.
 *
 *   Session 1 ──── n Request n ──── 1 Run        every Session is a Pane
 *                     │ 1                        a Run 1 ──── n Step
 *                     └─── 0..1 Decision         everything that happens is an Event
 */

/** `src/sessions/`. Stream `session/<id>`. */
export type Session = SessionRecord

/**
 * `src/panes/` decides its status, `src/supervision/` lists all of them. Only notices about them
 * are in the log.
 */
export type Pane = PaneInfo

/** `src/approvals/`: its source, risk, decision and outcome. Stream `approval/<id>`. */
export type Request = ApprovalRecord

/** Part of its request. Only the `Ledger` writes one: `decide`, or a grant when it is requested. */
export type Decision = ApprovalDecision

/** `src/runs/` starts them, `src/engine/` executes them. Stream `run/<id>`. */
export type Run = RunRecord

/** A step is two events in the stream of its run: it starts, and it ends with a result. */
export interface Step {
  started: EventData<'step.started'>
  ended?: EventData<'step.ended'>
}

/** `src/store/` keeps them, `src/events/` defines their types. */
export type Event = StoredEvent

/** The type of an event, such as `approval.decided`. */
export type { EventType }
