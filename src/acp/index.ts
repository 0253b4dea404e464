/*
 * Signalbox as an agent of an editor, over the Agent Client Protocol (`signalbox acp`). A session
 * of the protocol is a session of Signalbox: other surfaces show it too, and every request of the
 * agent is in the ledger.
 *
 * - acp-agent.ts: the methods of the protocol. prompt-turn.ts: one prompt, from its text to the end
 *   of the turn.
 * - editor-requests.ts: requests of the agent, shown in the editor.
 */
export { serveAcp } from './acp-agent.js'
