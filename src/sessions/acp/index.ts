/*
 * Sessions without a terminal: agents that speak the Agent Client Protocol on their standard input
 * and output.
 *
 *   keeper (pipes, both directions recorded)
 *     │ lines        ▲ lines
 *     ▼              │
 *   AcpChannel ── AcpConversation   folds messages of both directions: turns, messages, questions
 *     │ events
 *     ▼
 *   AcpEvents, wired by AcpSession  what the session does with each of them
 *     │  ├─ AcpPhase                thinking, streaming, tool pending
 *     │  ├─ AcpHandshake            opens a new conversation, or an earlier one
 *     │  ├─ AcpRequests             questions ↔ ledger: the answer to a call is the delivery
 *     │  └─ ClientCalls (client/)   files and terminals for an agent without a sandbox
 *     ▼
 *   journal, bus, reports           as for a session in a terminal (`live/`)
 *
 * - wire.ts: messages and lines. tool-item.ts: a tool call as blocks, and as tool and input.
 * - without-screen.ts: what surfaces read of a screen, where there is none.
 * - The parts of `live/` that know no screen are the same: prompts, notices, journal, end.
 *
 * - client/: client-files.ts reads and writes in the project; client-terminals.ts runs commands,
 *   which the keeper owns; client-calls.ts answers, once, also over a restart. begin-label.ts: the
 *   note in the recording before a call changes something.
 * - replay-protocol.ts: what an ended session did, from its recording.
 *
 * After a restart the recording is read from its start: the fold gives the same state, the journal
 * writes nothing twice, and calls that still wait are compared with the open requests of the
 * ledger.
 */
export { AcpSession } from './acp-session.js'
export type { ClientDirectories } from './client/client-files.js'
export { isProtocolRecording, replayProtocol } from './replay-protocol.js'
