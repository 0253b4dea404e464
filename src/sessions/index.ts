/*
 * Sessions: one live agent each, from the bytes of its terminal to turns, messages and approvals.
 *
 *   live/          the live session: terminal, phase, prompts, keyboard, end
 *   conversation/  from rows to turns, messages and blocks
 *   requests/      where an approval comes from, the open set, delivery of a decision
 *   replay/        a recording read again as the session read it: `replay`, `explain`
 *
 * `live/` uses the other two; they know only the names of its phases. Each folder's `index.ts`
 * explains its parts. The host starts, feeds and saves sessions (`host/`); surfaces read them
 * through `LiveSession`, the log and the host's bus.
 */

export {
  Conversation,
  type SessionUpdate,
  turnPrompts,
} from './conversation/index.js'
export * from './live/index.js'
export { type AnswerChannel, NO_CHANNEL } from './requests/index.js'
