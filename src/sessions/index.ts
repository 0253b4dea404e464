/*
 * Sessions: one live agent each, from the bytes of its terminal to turns, messages and approvals.
 *
 *   live/          the live session: terminal, phase, prompts, keyboard, end
 *   acp/           the same without a terminal, over the Agent Client Protocol
 *   conversation/  from rows to turns, messages and blocks
 *   requests/      where an approval comes from, the open set, delivery of a decision
 *   files/         uploads, the project's files and the changes of a session
 *   replay/        a recording read again as the session read it: `replay`, `explain`
 *
 * `live/` and `acp/` use `conversation/` and `requests/`, which know of a live session only the
 * names of its phases and which prompts are commands. Each folder's `index.ts` explains its parts.
 * The host starts, feeds and saves sessions (`host/`) as `LocalSession`; surfaces read them through
 * `SessionPort`, the log and the host's bus.
 */

export { AcpSession, type ClientDirectories } from './acp/index.js'
export {
  Conversation,
  type SessionUpdate,
  turnPrompts,
} from './conversation/index.js'
export * from './files/index.js'
export * from './live/index.js'
export { type AnswerChannel, chooseOption, NO_CHANNEL } from './requests/index.js'
