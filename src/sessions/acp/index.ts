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
 *     │  └─ AcpRequests             questions ↔ ledger: the answer to a call is the delivery
 *     ▼
 *   journal, bus, reports           as for a session in a terminal (`live/`)
 *
 * - wire.ts: messages and lines. tool-item.ts: a tool call as blocks, and as tool and input.
 * - without-screen.ts: what surfaces read of a screen, where there is none.
 * - The parts of `live/` that know no screen are the same: prompts, notices, journal, end.
 *
 * - replay-protocol.ts: what an ended session did, from its recording.
 *
 * After a restart the recording is read from its start: the fold gives the same state, the journal
 * writes nothing twice, and calls that still wait are compared with the open requests of the
 * ledger.
 */
export { AcpSession } from './acp-session.js'
export { isProtocolRecording, replayProtocol } from './replay-protocol.js'
